/** The parts of a setting that is a list, comma-separated; none where it is empty or not there. */
export function listSetting(setting: string | undefined): string[] {
  if (setting === undefined || setting.trim() === "") return [];
  return setting.split(",").map((part) => part.trim());
}

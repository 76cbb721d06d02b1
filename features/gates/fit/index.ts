/** Forms for checks of one model again and again. */
export { withGateForms } from "./gate-forms.ts";

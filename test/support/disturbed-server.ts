import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A server of a store's interface, whose requests can be disturbed. */
export interface DisturbedServer {
  readonly endpoint: string;
  /** Decides what becomes of a request: a status, or that the line breaks before it is carried out, or after. */
  disturb: (request: string) => number | "before" | "after" | null;
  close(): Promise<void>;
}

export type Answer = [status: number, headers?: Record<string, string>, body?: Buffer | string];

/**
 * Starts a server on a free port.
 * @param answer - carries a request out @param disturbed - the body of a status by {@link DisturbedServer.disturb}
 */
export async function startDisturbedServer(
  answer: (request: IncomingMessage, body: Buffer) => Answer | Promise<Answer>,
  disturbed: string,
): Promise<DisturbedServer> {
  const http = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const disturbance = server.disturb(`${request.method!} ${request.url!}`);
      if (disturbance === "before") return request.socket.destroy();
      if (typeof disturbance === "number") return response.writeHead(disturbance).end(disturbed);
      const [status, headers = {}, body = ""] = await answer(request, Buffer.concat(parts));
      if (disturbance === "after") return request.socket.destroy();
      return response.writeHead(status, headers).end(body);
    })().catch((fault: unknown) => response.writeHead(501).end(`TestServerFault: ${String(fault)}`));
  });
  await new Promise<void>((ready) => http.listen(0, "127.0.0.1", ready));
  const server: DisturbedServer = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    disturb: () => null,
    close: async () => {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
  return server;
}

import { createServer as createHttpServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where a local Worker is reached. */
export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** A request line that names its server too (RFC 9112, §3.2.2), or none but it (§3.2.4). */
const ABSOLUTE = /^[A-Z]+ (?:https?:\/\/|\* )/i;
/** A Content-Length that is no number, or is there twice. */
const BAD_LENGTH = /\r\ncontent-length:(?![ \t]*\d+[ \t]*\r\n)|\r\ncontent-length:[^]*\r\ncontent-length:/i;

/**
 * Stands before workerd, which answers 500 to requests in absolute form and to lengths that are no number. A connection that
 * begins with such a one is read by Node, and its requests are asked on in the usual form; any other is passed on as it is.
 * @param port - to listen on; 0 = any free one
 * @param behind - the port of workerd
 */
export async function openFront(host: string, port: number, behind: number): Promise<Front> {
  const sockets = new Set<Socket>();
  const reader = createHttpServer((request, response) => askOn(request, response, host, behind));
  reader.on("clientError", (_, socket) => {
    const body = JSON.stringify({ type: "urn:anchoreval:problem:malformed_request", title: "Not HTTP", status: 400, detail: "the request can't be read: its line, a header or its Content-Length isn't HTTP", code: "malformed_request", issues: [] }); // prettier-ignore
    socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`); // prettier-ignore
  });
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket)); // the caller has gone
    const leave = (): void => void socket.end(); // nothing was asked
    socket.once("end", leave).once("data", (first) => {
      socket.off("end", leave).pause();
      socket.unshift(first);
      const head = first.toString("latin1").split("\r\n\r\n")[0]!;
      if (ABSOLUTE.test(head) || BAD_LENGTH.test(`${head}\r\n`)) reader.emit("connection", socket);
      else passOn(socket, connect({ host, port: behind, allowHalfOpen: true, noDelay: true }));
      socket.resume();
    });
  });
  await new Promise<void>((ready, reject) => server.once("error", reject).listen(port, host, ready));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Joins two connections: what ends, or breaks, on one side does so on the other. */
function passOn(socket: Socket, up: Socket): void {
  socket.pipe(up).on("error", () => socket.destroy());
  up.pipe(socket);
  socket.on("close", () => up.destroy());
  up.on("close", () => socket.destroy());
}

/** Asks a request on as one of its own connection, whose keeping or closing isn't passed on. */
function askOn(request: IncomingMessage, response: ServerResponse, host: string, port: number): void {
  const { url: target = "/", method, rawHeaders } = request;
  const named = URL.canParse(target) ? new URL(target) : null;
  const path = named === null ? (target === "*" ? "/" : target) : `${named.pathname}${named.search}`;
  const headers = pairs(rawHeaders).map(([name, value]) =>
    named !== null && /^host$/i.test(name) ? [name, named.host] : [name, value],
  );
  const up = ask({ host, port, method, path, headers: headers.flat(), agent: false, setHost: false });
  up.on("response", (answer) => {
    response.writeHead(answer.statusCode!, answer.statusMessage, pairs(answer.rawHeaders).flat());
    answer.pipe(response);
  });
  up.on("error", () => response.destroy());
  response.on("close", () => up.destroy());
  request.pipe(up);
}

/** Names and values of headers, without the connection's. */
function pairs(raw: readonly string[]): [name: string, value: string][] {
  const all = Array.from({ length: raw.length / 2 }, (_, k): [string, string] => [raw[2 * k]!, raw[2 * k + 1]!]);
  return all.filter(([name]) => !/^(?:connection|keep-alive|proxy-connection)$/i.test(name));
}

import { createServer, type Server, type Socket } from 'node:net';
import rhea, { type ConnectionOptions as ConnectionSettings, type Container } from 'rhea';
import { ClientConnection, type ConnectionOptions } from './amqp/connection.ts';
import { acceptSocket } from './amqp/rhea-internals.ts';

/** Azure announces the same size. Larger messages are split into several frames. */
const MAX_FRAME_BYTES = 64 * 1024;

/** Maximum number of unsettled deliveries of a receiver. rhea's default of 2048 would block a receiver that settles late. */
const OUTGOING_DELIVERIES = 65_536;
const INCOMING_DELIVERIES = 2048;

/** How long to wait for clients to answer a close. */
const CLOSE_PATIENCE_MS = 200;

const TLS_HANDSHAKE = 0x16;
const AMQP = 'A'.charCodeAt(0);

const refusal =
  'The local Service Bus broker supports only AMQP over TCP. It has no HTTP administration API and no WebSockets.\n';

/** The TCP server for clients. */
export class BrokerServer {
  readonly #server: Server;
  readonly #container: Container;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<ClientConnection>();
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#container = rhea.create_container({ id: 'local-service-bus' });
    for (const mechanism of ['ANONYMOUS', 'MSSBCBS', 'EXTERNAL']) this.#offer(mechanism);
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Starts to listen and returns the port. Rejects if the port is in use. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** Cuts all connections. Clients can reconnect immediately. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops listening and closes all connections. Cuts those that a client has not closed after CLOSE_PATIENCE_MS. */
  close(): Promise<void> {
    const patience = setTimeout(() => this.drop(), CLOSE_PATIENCE_MS);
    return new Promise((resolve) => {
      this.#server.close(() => {
        clearTimeout(patience);
        resolve();
      });
      for (const client of this.#clients) client.close();
    });
  }

  /** The client's tokens identify it. Therefore every mechanism is accepted like ANONYMOUS. */
  #offer(mechanism: string): void {
    const start = () => ({ outcome: true, username: 'anonymous', start: () => {} });
    this.#container.sasl_server_mechanisms[mechanism] = start;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', (error) => this.#options.log(`socket: ${error.message}`));
    socket.once('data', (bytes) => (bytes[0] === AMQP ? this.#start(socket, bytes) : this.#refuse(socket, bytes)));
  }

  #start(socket: Socket, bytes: Buffer): void {
    const connection = this.#container.create_connection({
      tcp_no_delay: true,
      reconnect: false,
      max_frame_size: MAX_FRAME_BYTES,
      session_buffer_size: { outgoing: OUTGOING_DELIVERIES, incoming: INCOMING_DELIVERIES },
      receiver_options: { autoaccept: false, credit_window: 0 },
      sender_options: { treat_modified_as_released: false },
    } as unknown as ConnectionSettings);
    const client = new ClientConnection(connection, this.#options);
    this.#clients.add(client);
    socket.on('close', () => {
      this.#clients.delete(client);
      client.socketClosed();
    });
    acceptSocket(connection, socket, bytes);
  }

  #refuse(socket: Socket, bytes: Buffer): void {
    const kind = bytes[0] === TLS_HANDSHAKE ? 'TLS (connect with UseDevelopmentEmulator=true)' : 'HTTP';
    this.#options.log(`refused a connection: expected AMQP over plain TCP, got ${kind}`);
    if (bytes[0] === TLS_HANDSHAKE) socket.destroy();
    else
      socket.end(
        `HTTP/1.1 501 Not Implemented\r\nContent-Length: ${refusal.length}\r\nConnection: close\r\n\r\n${refusal}`,
      );
  }
}

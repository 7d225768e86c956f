import type { Socket } from 'node:net';
import type { AuthContext, Connection as Client, Session as ClientSession } from 'ssh2';
import { findSshKey } from '#access/ssh-keys.ts';
import { sshLimits } from '#lib/limits/ssh.ts';
import { fingerprintOf, readSshKey } from '#lib/ssh-key.ts';
import type { Addresses, Admission } from './addresses.ts';
import { readInTurns } from './reading.ts';
import type { SshParts } from './server.ts';
import { type Command, serveSession } from './session.ts';
import { isSignedBy } from './signature.ts';

export type ConnectionParts = SshParts & { socket: Socket; address: string; addresses: Addresses; admission: Admission };

/** The maximum number of bytes that wait for a client, or that a client has sent ahead. Beyond that, it violates the protocol. */
const maxBuffered = 16 * 1024 * 1024;

/** The time for a client to close its side of an ending connection. */
const leaveMs = 2_000;

/** One connection: its client, and the sessions that run commands. */
export class Connection {
  readonly closed: Promise<void>;
  readonly #parts: ConnectionParts;
  readonly #commands = new Set<Command>();
  readonly #authenticationTimer: NodeJS.Timeout;
  #client: Client | undefined;
  #fingerprint: string | undefined;
  #agent: string | undefined;
  #isDraining = false;
  #offered = 0;
  #sessions = 0;
  #begun = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #rekeys = { count: 0, since: 0 };

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { socket } = parts;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.once('close', () => this.#end());
    this.#authenticationTimer = setTimeout(() => this.destroy(), this.#limits.authenticationTime);
  }

  get #limits() {
    return this.#parts.services.resourceLimits.of(sshLimits);
  }

  /** Whether the address may connect. If it has failed too often, it gets a message, and the connection is closed. */
  async admit(): Promise<boolean> {
    const { socket, address, addresses, refusals, log } = this.#parts;
    try {
      const wait = await addresses.waitOf(address);
      if (wait === undefined) return !socket.destroyed;
      refusals.note({ ip: address }, 'ssh.failures');
      // Clients show lines before the first protocol line (RFC 4253, 4.2).
      socket.end(`Too many connections of your address failed to authenticate. Try again in ${wait} s.\r\n`);
    } catch (error) {
      log.error({ err: error }, 'a connection by SSH could not be checked');
      socket.destroy();
    }
    return false;
  }

  /**
   * Serves a client after its first line was read.
   * @param agent the program named in that line
   */
  begin(client: Client, agent: string | undefined): void {
    this.#client = client;
    this.#agent = agent;
    const { socket, log } = this.#parts;
    client.on('error', (error) => log.debug({ err: error }, 'a connection by SSH failed'));
    client.on('authentication', (context) => void this.#authenticate(context));
    client.on('ready', () => {
      clearTimeout(this.#authenticationTimer);
      this.#parts.admission.authenticated();
      this.#rest();
    });
    client.on('session', (accept, reject) => {
      if (this.#sessions >= this.#limits.sessions) return reject();
      this.#serve(accept());
    });
    client.on('rekey', () => this.#countRekey());
    socket.on('data', () => this.#checkBuffers());
    readInTurns(socket);
    if (this.#isDraining) this.#leave();
  }

  /** Ends the connection when no command is running. */
  drain(): void {
    this.#isDraining = true;
    if (this.#commands.size > 0) return;
    if (this.#fingerprint === undefined) this.destroy();
    else this.#leave();
  }

  /** Sends the client the end of the connection. */
  #leave(): void {
    this.#client?.end();
    const timer = setTimeout(() => this.destroy(), leaveMs);
    this.#parts.socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.#parts.socket.destroy();
  }

  /** Decides about a key. Known and unknown keys take the same work: one check of the signature, and one statement. */
  async #authenticate(context: AuthContext): Promise<void> {
    const { database, log } = this.#parts;
    try {
      if (context.method !== 'publickey') return context.reject(['publickey']);
      if (++this.#offered > this.#limits.keys) return this.destroy();
      const { key, blob, signature, hashAlgo } = context;
      const isKey = readSshKey(key.data)?.type === key.algo && (key.algo !== 'ssh-rsa' || hashAlgo !== undefined);
      const isSigned =
        signature === undefined || (blob !== undefined && isSignedBy(key.data, { data: blob, bytes: signature, hash: hashAlgo }));
      const fingerprint = fingerprintOf(key.data);
      const known = await findSshKey(database.db, fingerprint);
      if (!known || !isKey || !isSigned) return context.reject(['publickey']);
      if (signature !== undefined) this.#fingerprint = fingerprint;
      context.accept();
    } catch (error) {
      log.error({ err: error }, 'a key could not be checked');
      this.destroy();
    }
  }

  #serve(session: ClientSession): void {
    this.#sessions++;
    session.once('close', () => this.#sessions--);
    const fingerprint = this.#fingerprint;
    // The library opens sessions only after authentication.
    if (fingerprint === undefined) throw new Error('A session has no key');
    serveSession(this.#parts, session, {
      fingerprint,
      agent: this.#agent,
      begin: (command) => {
        if (this.#isDraining || this.#begun >= this.#limits.perConnection) return false;
        clearTimeout(this.#idleTimer);
        this.#begun++;
        this.#commands.add(command);
        this.#parts.socket.once('close', command.abort);
        return true;
      },
      end: (command) => {
        this.#commands.delete(command);
        this.#parts.socket.off('close', command.abort);
        this.#rest();
      },
    });
  }

  /**
   * Waits for the next command. If no more are allowed, the client has a moment to close the connection itself: if it gets a
   * disconnect while it reads the result of its command, it reports a failure.
   */
  #rest(): void {
    if (this.#commands.size > 0) return;
    const isLast = this.#isDraining || this.#begun >= this.#limits.perConnection;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#leave(), isLast ? leaveMs : this.#limits.idleConnection);
  }

  /** Closes the connection of a client that sends more than it may, or doesn't read replies. */
  #checkBuffers(): void {
    const ahead = [...this.#commands].reduce((sum, { channel }) => sum + channel.readableLength, 0);
    if (this.#parts.socket.writableLength > maxBuffered || ahead > maxBuffered * this.#limits.sessions) this.destroy();
  }

  /** Closes the connection of a client that exchanges keys again and again, which takes milliseconds each time. */
  #countRekey(): void {
    const now = performance.now();
    if (now - this.#rekeys.since > 60_000) this.#rekeys = { count: 0, since: now };
    if (++this.#rekeys.count > this.#limits.rekeys) this.destroy();
  }

  #end(): void {
    clearTimeout(this.#authenticationTimer);
    clearTimeout(this.#idleTimer);
    const { admission, addresses, address, log } = this.#parts;
    admission.ended();
    if (this.#fingerprint !== undefined || this.#isDraining) return;
    addresses.failed(address).catch((error) => log.warn({ err: error }, 'counting a failed connection by SSH failed'));
  }
}

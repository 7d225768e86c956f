import { isStorageText } from '#lib/folder-marker.ts';
import { GitError, storageMessage } from '../errors.ts';
import { type GitProcess, startGit } from '../process/process.ts';
import { timeLimit } from '../process/process-limits.ts';
import type { GitRepository } from '../repo.ts';

const objectTypes = ['commit', 'tree', 'blob', 'tag'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** The name, type and size of an object. */
export type ObjectInfo = { oid: string; type: ObjectType; size: number };

/** The reply to a request: the object, with its bytes if contents were requested; undefined if it doesn't exist. */
export type ObjectReply = { info: ObjectInfo; data: Buffer } | undefined;

type ObjectRequest = {
  contents: boolean;
  name: string;
  alone: boolean;
  resolve(answer: ObjectReply): void;
  reject(error: Error): void;
};

/** The process ended before it handled this request. A new process can handle it. */
export class Interrupted extends Error {}

/** With `alone`, a request is flushed separately. If the process then ends, that request was the cause. */
export type RequestOptions = { wanted: 'info' | 'contents'; alone?: true };

const header = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/;

/**
 * One `git cat-file --batch-command` process. Requests of one turn of the event loop are sent together and answered in order. The
 * caller must check names: they must be full object names, refs, or either with `:path`, without NUL.
 */
export class CatFile {
  readonly #git: GitProcess;
  #waiting: ObjectRequest[] = [];
  #unsent: string[] = [];
  #chunks: Buffer[] = [];
  #held = 0;
  #wanted = 1;
  #dead: GitError | undefined;
  #watch: NodeJS.Timeout | undefined;
  readonly #longest: { time: number; error: GitError };

  constructor(repo: GitRepository) {
    this.#longest = timeLimit(repo.store.limits, 'command', undefined);
    this.#git = startGit(repo, ['cat-file', '--batch-command', '--buffer', '-z'], { kind: 'reader' });
    this.#git.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    void this.#git.ended.then(({ cause }) => this.#fail(cause ?? endOf(this.#git.stderr())));
  }

  /** Whether the process has ended, so that a new one is needed. */
  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Requests one object. @throws Interrupted if the process ended because of another object */
  request(name: string, { wanted, alone }: RequestOptions): Promise<ObjectReply> {
    if (this.#dead) return Promise.reject(this.#dead);
    if (name.includes('\0')) return Promise.reject(new GitError('invalid', 'A name holds a NUL'));
    const { promise, resolve, reject } = Promise.withResolvers<ObjectReply>();
    this.#waiting.push({ contents: wanted === 'contents', name, alone: alone ?? false, resolve, reject });
    if (this.#unsent.length === 0) setImmediate(() => this.#send());
    this.#unsent.push(alone ? `flush\0${wanted} ${name}\0flush\0` : `${wanted} ${name}\0`);
    return promise;
  }

  /** Ends the process. Pending requests fail. */
  async close(): Promise<void> {
    this.#fail(new GitError('aborted', 'The object reader was closed'));
    this.#git.stdin.end();
    await this.#git.ended;
  }

  #send(): void {
    if (this.#dead) return;
    this.#git.stdin.write(`${this.#unsent.join('')}flush\0`);
    this.#unsent = [];
    this.#watch ??= setTimeout(() => this.#git.stop(this.#longest.error), this.#longest.time);
  }

  #fail(error: GitError): void {
    this.#dead ??= error;
    clearTimeout(this.#watch);
    const waiting = this.#waiting.splice(0);
    // A large object can end the process. Requests for other objects are rejected as interrupted, and are sent again.
    const blamed = waiting.length === 1 || waiting[0]?.alone ? 1 : 0;
    const [first, rest] = isOfObject(this.#dead) ? [blamed, new Interrupted()] : [waiting.length, this.#dead];
    for (const [index, request] of waiting.entries()) request.reject(index < first ? this.#dead : rest);
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    this.#watch?.refresh();
    if (this.#held < this.#wanted) return;
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let answered = 0;
    this.#wanted = 1;
    for (const request of this.#waiting) {
      const used = this.#answer(request, rest);
      if (used === 0) break;
      rest = rest.subarray(used);
      answered++;
    }
    this.#waiting.splice(0, answered);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#held = rest.length;
    if (this.#wanted <= this.#held) this.#wanted = this.#held + 1;
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }

  /** Resolves a request from the received bytes. Returns the length of its reply; 0 if it is incomplete. */
  #answer(request: ObjectRequest, bytes: Buffer): number {
    const lineEnd = bytes.indexOf(10);
    if (lineEnd < 0) return 0;
    const found = header.exec(bytes.toString('latin1', 0, Math.min(lineEnd, 80)));
    if (!found) return this.#answerAbsent(request, bytes);
    const [, oid = '', word = '', digits = ''] = found;
    const type = objectTypes.find((known) => known === word) ?? 'blob';
    const info = { oid, type, size: Number(digits) };
    const start = lineEnd + 1;
    if (!request.contents) {
      request.resolve({ info, data: Buffer.alloc(0) });
      return start;
    }
    const end = start + info.size;
    if (bytes.length <= end) {
      this.#wanted = end + 1;
      return 0;
    }
    request.resolve({ info, data: bytes.subarray(start, end) });
    return end + 1;
  }

  // git repeats the name that it didn't find, including line breaks, and adds ` missing` or ` ambiguous`.
  #answerAbsent(request: ObjectRequest, bytes: Buffer): number {
    let end = -1;
    for (let lines = request.name.split('\n').length; lines > 0; lines--) {
      end = bytes.indexOf(10, end + 1);
      if (end < 0) return 0;
    }
    request.resolve(undefined);
    return end + 1;
  }
}

const endOf = (stderr: string): GitError =>
  isStorageText(stderr)
    ? new GitError('unavailable', storageMessage, stderr)
    : new GitError('failed', 'The object reader ended', stderr);

/** Whether an object caused the end of a process. Otherwise a new process would fail too. */
const isOfObject = ({ kind }: GitError): boolean => kind !== 'unavailable' && kind !== 'aborted';

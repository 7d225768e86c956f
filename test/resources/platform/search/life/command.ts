import fc from 'fast-check';
import { expect } from 'vitest';
import type { Account as Row } from '#access/viewer.ts';
import type { GitRepository } from '#git/repo.ts';
import type { TeamRow } from '#resources/identity/teams/index.ts';
import type { Answer } from '#test/support/client.ts';
import type { World } from '#test/support/world.ts';
import { askEverything, type Clients } from './asking.ts';
import { fullName, type Model, type Repository } from './model.ts';

/** The server, with what commands need to speak to it. */
export type Real = {
  world: World;
  clients: Clients;
  people: Record<'ada' | 'member' | 'guest', Row>;
  crew: TeamRow;
  /** Ada's own repository, from which she pushes, and the token that she pushes with. */
  gitRepository: GitRepository;
  token: string;
  /** Jobs that run beside the commands. */
  jobs: Promise<unknown>;
};

/** Does something to the server and then to the model. */
export type Effect = (real: Real) => Promise<void>;

/**
 * What a command changes: what the indexes hold, who may see what, or both. The indexes may lag behind until jobs have run; a
 * change of access counts from the next request on.
 */
export type Changes = 'indexes' | 'access' | 'both';

/** Something that happens. What can't happen in a state of the model doesn't. */
export type Command = { run(model: Model, real: Real): Promise<void>; toString(): string };

/** A command with arguments. `plan` says what it does in a state of the model; undefined: it can't be done there. */
export function command<A>(
  name: string,
  changes: Changes,
  args: fc.Arbitrary<A>,
  plan: (model: Model, args: A) => Effect | undefined,
): fc.Arbitrary<Command> {
  return args.map((given) => ({
    async run(model, real) {
      const effect = plan(model, given);
      if (!effect) return;
      await effect(real);
      if (changes !== 'access') model.settled = false;
      if (changes !== 'indexes') await askEverything(real.clients, model);
    },
    toString: () => `${name} ${JSON.stringify(given)}`,
  }));
}

/** Which of the things that a command may be done to it is done to. */
export const which = fc.nat(99);

export const pick = <T>(some: readonly T[], number: number): T | undefined => some[number % some.length];

/** One of the repositories that may be changed in this way. */
export const pickRepository = (model: Model, number: number, may: (repository: Repository) => boolean = () => true) =>
  pick(
    model.repositories.filter((repository) => !repository.archived && may(repository)),
    number,
  );

/** Some of the model's words. */
export const text = fc.subarray([0, 1, 2], { maxLength: 2 });
export const write = ({ words }: Model, some: readonly number[]): string => ['Of', ...some.map((at) => words[at])].join(' ');

export const pathOf = (model: Model, repository: Repository): string => `/repos/${fullName(model, repository)}`;

/** The body of a reply, which has this status. */
export async function must(status: number, reply: Promise<Answer>): Promise<Answer['body']> {
  const { status: actual, text: body } = await reply;
  expect(actual, body).toBe(status);
  return (await reply).body;
}

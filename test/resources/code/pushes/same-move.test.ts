// Several pushes that move a ref from the same commit to the same commit. Git lets one of them, and its move has one event.
import { expect, test } from 'vitest';
import { findNewName } from '#resources/code/branch-names/index.ts';
import { moveRefs, pushHandlers } from '#resources/code/pushes/index.ts';
import { closeIntent, openIntent } from '#resources/code/pushes/rules.ts';
import { type Command, crashed, main, pushed, recover, scopeOf, unfinished } from './support.ts';

const minuteMs = 60_000;

/** A repository, and pushes that all want to move `main` from the first commit to the second. */
async function rivals() {
  const given = await crashed();
  const { here, ada, repo, first, second, moveUnrecorded } = given;
  const command = { ref: main, from: first, to: second };
  return {
    ...given,
    command,
    moveInGit: () => moveUnrecorded(command),
    wait: () => {
      here.clock.now = new Date(here.clock.now.getTime() + minuteMs);
    },
    /** A push that has written its intent, and whose result isn't known yet. */
    async begin() {
      const push = pushHandlers({ scopeNow: () => scopeOf(here), repo, actor: ada.id, workflowFiles: { allowed: true } });
      await push.before?.([command]);
      return {
        succeed: () => push.after?.([{ ...command, ok: true }]),
        beRefused: () => push.after?.([{ ...command, ok: false, reason: 'it has moved' }]),
        /** The connection breaks: the refs say what the push did. */
        breakOff: () => push.failed?.(new Error('The client went away')),
      };
    },
    /** A move that nothing interrupts. */
    move: ({ ref, from, to }: Command) =>
      moveRefs(scopeOf(here), { repo, changes: [{ ref, from, to }], actor: ada.id, workflowFiles: { allowed: true } }),
  };
}

test('a move is recorded once, whichever push made it', async () => {
  const { here, ada, repo, command, begin, moveInGit, settle, news } = await rivals();
  const other = await begin();
  const mover = await begin();
  await moveInGit();
  await settle();
  await mover.succeed();
  await other.beRefused();
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('the push that made a move doesn’t record it again after the recovery of another push did', async () => {
  const { here, ada, repo, command, begin, moveInGit, news } = await rivals();
  const mover = await begin();
  const other = await begin();
  await moveInGit();
  await other.breakOff();
  expect(await news()).toEqual([pushed(ada.id, command)]);
  await mover.succeed();
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('the recovery of a push that began after the move was recorded doesn’t record it again', async () => {
  const { here, ada, repo, command, begin, moveInGit, wait, settle, news } = await rivals();
  const mover = await begin();
  await moveInGit();
  await mover.succeed();
  wait();
  const late = await begin();
  await settle();
  await late.breakOff();
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a push that waited while another made its move records the move that it makes later', async () => {
  const { here, ada, repo, first, second, command, begin, move, moveInGit, news } = await rivals();
  const waiting = await begin();
  await move(command);
  const back = { ref: main, from: second, to: first };
  await move(back);
  await moveInGit();
  await waiting.succeed();
  expect(await news()).toEqual([pushed(ada.id, command), pushed(ada.id, back, true), pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a push that waited and made its move later is recovered after a crash', async () => {
  const { here, ada, repo, first, second, command, begin, move, moveInGit, settle, news } = await rivals();
  await begin();
  await move(command);
  const back = { ref: main, from: second, to: first };
  await move(back);
  await moveInGit();
  await settle();
  expect(await news()).toEqual([pushed(ada.id, command), pushed(ada.id, back, true), pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test.each([
  ['records its own later move', true],
  ['doesn’t record the same move again, though the ref was set back since', false],
])('a push whose move the recovery of another push recorded %s', async (_what, movesLater) => {
  const { here, ada, repo, first, second, command, begin, move, moveInGit, news } = await rivals();
  const slow = await begin();
  const other = await begin();
  await moveInGit();
  await other.breakOff();
  const back = { ref: main, from: second, to: first };
  await move(back);
  if (movesLater) await moveInGit();
  await slow.succeed();
  const later = movesLater ? [pushed(ada.id, command)] : [];
  expect(await news()).toEqual([pushed(ada.id, command), pushed(ada.id, back, true), ...later]);
  expect(await unfinished(here, repo)).toEqual([]);
});

const rename = { kind: 'branches.rename' as const, data: { from: 'old', to: 'main', isDefault: false } };

test('what follows a move is done after a crash, also where the move was recorded for another push', async () => {
  const { here, ada, repo, command, intend, begin, moveInGit, news } = await rivals();
  const other = await begin();
  await intend([command], [rename]);
  await moveInGit();
  await other.breakOff();
  expect(await findNewName(here.db, repo.id, 'old')).toBeUndefined();
  await recover(here);
  expect(await findNewName(here.db, repo.id, 'old')).toBe('main');
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test.each([
  ['follows it', true, 'main'],
  ['doesn’t follow the move of another push', false, undefined],
])('what should follow a move %s, where the recovery of another push recorded it', async (_what, isMover, expected) => {
  const { here, ada, repo, command, begin, moveInGit, news } = await rivals();
  const intent = await openIntent(scopeOf(here), {
    repository: repo.id,
    actor: ada.id,
    commands: [command],
    following: [rename],
  });
  const other = await begin();
  await moveInGit();
  await other.breakOff();
  await closeIntent(scopeOf(here), intent, { done: isMover ? [command] : [] });
  expect(await findNewName(here.db, repo.id, 'old')).toBe(expected);
  expect(await news()).toEqual([pushed(ada.id, command)]);
  expect(await unfinished(here, repo)).toEqual([]);
});

test('a move recorded elsewhere isn’t followed by what another push wanted', async () => {
  const { here, repo, command, intend, move, settle } = await rivals();
  await intend([command], [rename]);
  await move(command);
  await settle();
  expect(await findNewName(here.db, repo.id, 'old')).toBeUndefined();
});

/** Every way in which three things can be ordered. */
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

test.each([
  ['is recorded', 'is refused'],
  ['is recorded', 'breaks off'],
  ['is recorded', 'is killed'],
  ['is killed', 'is refused'],
  ['is killed', 'breaks off'],
  ['is killed', 'is killed'],
])('a move has one event, in whatever order its push %s, another push %s and recovery runs', async (moverEnd, otherEnd) => {
  for (const order of orders)
    for (const isMoverFirst of [true, false]) {
      const { here, ada, repo, command, begin, moveInGit, wait, settle, news } = await rivals();
      const early = await begin();
      wait();
      const late = await begin();
      const [mover, other] = isMoverFirst ? [early, late] : [late, early];
      await moveInGit();
      const steps = [
        async () => {
          if (moverEnd === 'is recorded') await mover.succeed();
        },
        async () => {
          if (otherEnd === 'is refused') await other.beRefused();
          if (otherEnd === 'breaks off') await other.breakOff();
        },
        settle,
      ];
      for (const step of order) await steps[step]?.();
      await settle();
      expect(await news(), `${order}, ${isMoverFirst}`).toEqual([pushed(ada.id, command)]);
      here.clock.now = new Date(here.clock.now.getTime() + 25 * 60 * minuteMs);
      await settle();
      expect(await news()).toHaveLength(1);
      expect(await unfinished(here, repo)).toEqual([]);
    }
});

import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { type Capacity, programsToStart, type Waiting } from '#resources/actions/hosted-jobs/assign.ts';

const waiting = (hosted: number[], matrix = 'm', room: number | null = null): Waiting => ({
  matrix,
  room,
  hosted: hosted.map((id) => asId<'hosted_runners'>(id)),
});
const starts = (jobs: readonly Waiting[], capacities: { [id: number]: Capacity }) =>
  Object.fromEntries(
    programsToStart(jobs, new Map(Object.entries(capacities).map(([id, one]) => [asId<'hosted_runners'>(Number(id)), one]))),
  );
const none = (maximum: number): Capacity => ({ idle: 0, total: 0, maximum });

test('each job has a program, up to what a runner may have', () => {
  expect(starts([waiting([1]), waiting([1]), waiting([1])], { 1: none(2) })).toEqual({ 1: 2 });
  expect(starts([waiting([1])], { 1: { idle: 0, total: 2, maximum: 2 } })).toEqual({});
});

test('programs that wait are used before others are started', () => {
  expect(starts([waiting([1]), waiting([1])], { 1: { idle: 1, total: 1, maximum: 5 } })).toEqual({ 1: 1 });
  expect(starts([waiting([1, 2])], { 1: none(1), 2: { idle: 1, total: 1, maximum: 1 } })).toEqual({});
});

test('a job that several may run is for one of them', () => {
  expect(starts([waiting([1, 2]), waiting([1, 2])], { 1: none(1), 2: none(5) })).toEqual({ 1: 1, 2: 1 });
  expect(starts([waiting([3])], { 1: none(1) })).toEqual({});
});

test('a matrix has no more programs than may run beside one another', () => {
  const jobs = [waiting([1], 'a', 1), waiting([1], 'a', 1), waiting([1], 'b'), waiting([1], 'c', 0)];
  expect(starts(jobs, { 1: none(10) })).toEqual({ 1: 2 });
});

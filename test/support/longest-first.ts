import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten seconds or more, as parts of their paths. */
const long = ['/abuse/', '/acceptance/clients', '/cli/', '/conformance/', '/text/', '/events/outbox', '/migrations/', '/pushes/'];

/** Starts with the long files, so that the workers end together, even in a first run without recorded times. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take ten seconds and more, in parts of their paths. */
const long = ['/abuse/', '/acceptance/clients', '/cli/', '/conformance/', '/text/', '/events/outbox', '/migrations/', '/pushes/'];

/** Begins with the long files, so that the workers end together, in a first run too, which knows no times of an earlier one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.some((part) => moduleId.includes(part));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

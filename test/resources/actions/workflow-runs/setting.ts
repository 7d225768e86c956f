import type { RepositoryRow } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import type { World } from '#test/support/world.ts';

export const ciPath = '.github/workflows/ci.yml';

/** A workflow of two jobs after each other, which pushes start, and people. */
export const ci = `name: CI
on:
  push:
  workflow_dispatch:
    inputs:
      level:
        type: choice
        options: [low, high]
        required: true
      dry:
        type: boolean
      count:
        type: number
        default: 3
jobs:
  build:
    runs-on: ubuntu-latest
    outputs:
      made: \${{ steps.make.outputs.made }}
    steps:
      - run: make
        id: make
      - run: make test
  check:
    needs: build
    runs-on: ubuntu-latest
    steps:
      - run: test
`;

/** Pushes files with a workflow, and gives the commit; its runs are made. */
export async function pushWorkflow(
  world: World,
  repo: RepositoryRow,
  files: { [path: string]: string } = { [ciPath]: ci },
): Promise<string> {
  const commit = await commitFiles(world, repo, files);
  await world.settle();
  return commit;
}

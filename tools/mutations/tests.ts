import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Code that decides about access is also covered by these tests. */
const ofAccess = ['test/conformance/', 'test/server/', 'test/ssh-server/'];
/** These test decisions without a server, in seconds. */
const decisions = ['test/access/every-cell', 'test/access/authorize'];
const ofPushes = ['ref-rules', 'rulesets', 'branch-protection', 'pushes'].map((name) => `test/resources/code/${name}/`);

/** Tests that take minutes, and say little about single rules. */
const left = /^test\/(?:abuse|acceptance\/clients|docs|conformance\/(?:docs|bad-requests|malformed|organization))/;

/** If more families than this use a family, only the tests that name it are run. */
const mostUsers = 8;

/** The other families whose files import a family, as `product/family`; none if there are many. */
function familiesUsing(root: string, family: string): string[] {
  const importing = globSync('src/resources/*/*/*.ts', { cwd: root })
    .filter((name) => !name.startsWith(`src/${family}/`) && readFileSync(join(root, name), 'utf8').includes(`'#${family}/`))
    .map((name) => name.split('/').slice(2, 4).join('/'));
  const names = [...new Set(importing)];
  return names.length > mostUsers ? [] : names;
}

/**
 * The test files for a file, in groups. The first group are its neighbours, and the others run if these don't detect a mutant. A
 * family's neighbours are the tests in the mirror of its folder. Then come the tests of the families that use it, if these are
 * few, the tests that name the family, and the access tests.
 */
export function testsOf(root: string, file: string, tests: readonly string[]): string[][] {
  const usable = tests.filter((name) => !left.test(name));
  const starting = (folders: readonly string[]): string[] => usable.filter((name) => folders.some((one) => name.startsWith(one)));
  const family = dirname(file).replace(/^src\//, '');
  const users = familiesUsing(root, family);
  const isOfPushes = ofPushes.includes(`test/${family}/`);
  const named = usable.filter((name) => readFileSync(join(root, name), 'utf8').includes(`#${family}/`));
  const groups = file.startsWith('src/access/')
    ? [
        starting(decisions),
        starting(['test/access/']),
        starting(ofAccess),
        starting(['test/search/', 'test/resources/identity/tokens/']),
      ]
    : [
        starting([`test/${family}/`]),
        isOfPushes ? starting(ofPushes) : [],
        starting(users.map((name) => `test/resources/${name}/`)),
        [...named, ...starting(['test/conformance/parents', 'test/conformance/tokens', 'test/acceptance/octokit'])],
      ];
  return groups
    .map((group, at) => group.filter((name) => !groups.slice(0, at).some((other) => other.includes(name))))
    .filter(({ length }) => length > 0);
}

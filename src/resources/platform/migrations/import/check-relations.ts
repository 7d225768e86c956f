import { fixedValue } from '#lib/limits.ts';
import { relationLimits } from '#resources/collaboration/issue-relations/index.ts';
import type { Address, IssueRecord } from '../archive/format.ts';
import { refused } from './unpack.ts';

const maxLevels = fixedValue(relationLimits.subIssueLevels);
const maxDependencies = fixedValue(relationLimits.dependencies);

/** Collects the relations of issues, which may name issues that come later, and refuses those that can't be here. */
export function relationsToCheck() {
  const parents = new Map<Address, Address>();
  const blocking = new Map<Address, number>();
  const pairs: [Address, Address][] = [];
  const duplicates: [Address, Address][] = [];
  const addBlocking = (url: Address, issue: Address): void => {
    const count = (blocking.get(issue) ?? 0) + 1;
    if (issue === url) throw refused(`${url} blocks itself`);
    if (count > maxDependencies) throw refused(`${issue} blocks more than ${maxDependencies} issues`);
    blocking.set(issue, count);
    pairs.push([url, issue]);
  };
  return {
    add({ url, sub_issues = [], blocked_by = [], duplicate_of = null }: IssueRecord): void {
      for (const { issue } of sub_issues) {
        if (parents.has(issue)) throw refused(`${issue} is below two issues, or twice below one`);
        parents.set(issue, url);
        pairs.push([url, issue]);
      }
      if (new Set(blocked_by.map(({ issue }) => issue)).size < blocked_by.length)
        throw refused(`${url} is blocked twice by one issue`);
      for (const { issue } of blocked_by) addBlocking(url, issue);
      if (duplicate_of !== null) duplicates.push([url, duplicate_of]);
    },
    /** `ownerOf` tells who owns the repository of an issue; undefined where the issue isn't in the archive. */
    check(ownerOf: (issue: Address) => Address | undefined): void {
      for (const [url, other] of pairs) {
        const owner = ownerOf(other);
        if (owner === undefined) throw refused(`${url} is related to ${other}, which is no issue in it`);
        if (owner !== ownerOf(url)) throw refused(`${url} is related to ${other}, which belongs to another owner`);
      }
      for (const issue of parents.keys()) {
        let above = 0;
        for (let next = parents.get(issue); next !== undefined; next = parents.get(next))
          if (++above > maxLevels) throw refused(`${issue} is below itself, or below more than ${maxLevels} issues`);
      }
    },
    /** `isThere` tells of issues and pull requests. */
    checkDuplicates(isThere: (url: Address) => boolean): void {
      for (const [url, original] of duplicates)
        if (!isThere(original)) throw refused(`${url} is a duplicate of ${original}, which is not in it`);
    },
  };
}

import { type Direction, tableOf, translated } from './table.ts';
import { parameterWords, pathWords, type Vocabulary, valueWords } from './words.ts';

type Rule = { readonly from: readonly string[]; readonly to: string };

const rules: Readonly<Record<Direction, readonly Rule[]>> = {
  toVendor: pathWords.map(([neutral, vendor]) => ruleOf(neutral, vendor)),
  toNeutral: pathWords.map(([neutral, vendor]) => ruleOf(vendor, neutral)),
};

function ruleOf(from: string, to: string): Rule {
  return { from: from.split('/'), to: to.slice(to.lastIndexOf('/') + 1) };
}

const parameters = tableOf(parameterWords);

/**
 * The public API's route for a neutral one, to register in addition; undefined if both use the same words.
 *
 * @example
 * publicPath('/orgs/{org}/assistant/billing') // '/orgs/{org}/copilot/billing'
 * publicPath('/orgs/{org}/hooks') // undefined
 */
export function publicPath(route: string): string | undefined {
  const path = translatePath(route, 'toVendor');
  return path === route ? undefined : path;
}

/** A route for the OpenAPI document, with the vocabulary's words and names of parameters. */
export const emitRoute = (vocabulary: Vocabulary, route: string): string =>
  vocabulary === 'service' ? route : translateParameters(translatePath(route, 'toVendor'), 'toVendor');

/** The name of a path word in the OpenAPI document. */
export const emitParameter = (vocabulary: Vocabulary, name: string): string =>
  vocabulary === 'service' ? name : translated(parameters, 'toVendor', name);

/** The neutral route for a route of either vocabulary. */
export const neutralRoute = (route: string): string => translateParameters(translatePath(route, 'toNeutral'), 'toNeutral');

const translateParameters = (route: string, direction: Direction): string =>
  route.includes('{')
    ? route.replace(/\{(\w+)\}/g, (_braces, name: string) => `{${translated(parameters, direction, name)}}`)
    : route;

function translatePath(route: string, direction: Direction): string {
  const segments = route.split('/');
  const rule = rules[direction].find(({ from }) => startsWith(segments, from));
  if (!rule) return route;
  segments[rule.from.length - 1] = rule.to;
  return segments.join('/');
}

const startsWith = (segments: readonly string[], from: readonly string[]): boolean =>
  segments.length >= from.length && from.every((word, i) => word === '{}' || word === segments[i]);

const values = new Map(Object.entries(valueWords).map(([name, pairs]) => [name, tableOf(pairs)]));

/** The neutral value of a path word or query parameter with a closed set of values. */
export const neutralValue = (name: string, value: string): string => translated(values.get(name), 'toNeutral', value);

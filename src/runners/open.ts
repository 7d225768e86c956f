import { type Catalogue, ownCatalogue, readCatalogue } from './catalogue.ts';

/** What an operator says about hosted runners. */
export type RunnerSettings = {
  /** The file of a catalogue of the operator's own. */
  readonly catalogue?: string | undefined;
};

/** What hosted runners are made of in this process. */
export type Runners = { readonly catalogue: Catalogue };

/** @throws StartupError when the catalogue can't be used. */
export async function openRunners({ catalogue = ownCatalogue }: RunnerSettings = {}): Promise<Runners> {
  return { catalogue: await readCatalogue(catalogue) };
}

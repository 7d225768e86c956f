import { type Catalogue, ownCatalogue, readCatalogue } from './catalogue.ts';
import { noProvider, type Provider } from './provider.ts';

/** The settings of hosted runners. */
export type RunnerSettings = {
  /** The file of the operator's own catalogue, if there is one. */
  readonly catalogue?: string | undefined;
  readonly provider?: Provider;
};

/** The catalogue of hosted runners, and the provider that makes them. */
export type Runners = { readonly catalogue: Catalogue; readonly provider: Provider };

/** @throws StartupError when the catalogue can't be used. */
export async function openRunners(settings: RunnerSettings = {}): Promise<Runners> {
  const { catalogue = ownCatalogue, provider = noProvider } = settings;
  return { catalogue: await readCatalogue(catalogue), provider };
}

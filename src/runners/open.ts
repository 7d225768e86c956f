import { type Catalogue, ownCatalogue, readCatalogue } from './catalogue.ts';
import { noProvider, type Provider } from './provider.ts';

/** What an operator says about hosted runners. */
export type RunnerSettings = {
  /** The file of a catalogue of the operator's own. */
  readonly catalogue?: string | undefined;
  readonly provider?: Provider;
};

/** What hosted runners are made of in this process, and by whom. */
export type Runners = { readonly catalogue: Catalogue; readonly provider: Provider };

/** @throws StartupError when the catalogue can't be used. */
export async function openRunners(settings: RunnerSettings = {}): Promise<Runners> {
  const { catalogue = ownCatalogue, provider = noProvider } = settings;
  return { catalogue: await readCatalogue(catalogue), provider };
}

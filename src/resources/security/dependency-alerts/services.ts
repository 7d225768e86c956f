import type { ServiceParts } from '#resources/service-parts.ts';

declare module '#endpoint/services.ts' {
  interface FamilySettings {
    /** A folder of OSV files. Omitted: no advisories are loaded. */
    advisories?: string | undefined;
  }
  interface FamilyServices {
    /** The folder of OSV files about vulnerable packages; undefined if none is configured. */
    readonly advisories: string | undefined;
  }
}

export const advisoriesFolder = ({ settings }: ServiceParts): string | undefined => settings.advisories;

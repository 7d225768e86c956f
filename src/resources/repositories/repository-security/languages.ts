/** The languages that setups of analyses name (the public API's words). */
export const qualityLanguages = ['csharp', 'go', 'java-kotlin', 'javascript-typescript', 'python', 'ruby'] as const;
export const scannedLanguages = [...qualityLanguages, 'actions', 'c-cpp', 'swift'] as const;
export type ScannedLanguage = (typeof scannedLanguages)[number];

/** The products that analyse code, with the languages of their setups. */
export const analysedLanguages = { code_scanning: scannedLanguages, code_quality: qualityLanguages } as const;
export type AnalysedProduct = keyof typeof analysedLanguages;
export const analysedProducts = ['code_scanning', 'code_quality'] as const satisfies readonly AnalysedProduct[];

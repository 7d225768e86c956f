export { type Analysers, analysersHint } from './analysers.ts';
export {
  type AnalysedProduct,
  analysedProducts,
  qualityLanguages,
  type ScannedLanguage,
  scannedLanguages,
} from './languages.ts';
export { takesPrivateReports } from './rules.ts';

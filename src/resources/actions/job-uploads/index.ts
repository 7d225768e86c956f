export { blobAddress, blobPath, opensBlob, type Purpose } from './address.ts';
export { uploadLimits } from './limits.ts';
export {
  beginUpload,
  dropUpload,
  joinBlocks,
  type Receive,
  receiveBlock,
  receiveWhole,
  removeObjectsLater,
  takeUpload,
} from './rules.ts';
export { findOpenUpload, type UploadRow } from './store.ts';

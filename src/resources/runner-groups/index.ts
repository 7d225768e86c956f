export {
  findGroup,
  getDefaultGroup,
  insertDefaultGroup,
  insertGroup,
  type RunnerGroup,
  removeGroup,
  updateGroup,
} from './store.ts';

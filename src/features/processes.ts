// Which processes still live, for frontends: they may not look at processes themselves.
export { createProcesses } from '../system/process-identity.ts';

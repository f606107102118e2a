import { fileURLToPath } from 'node:url'

/** The repository's own folder. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../', import.meta.url))

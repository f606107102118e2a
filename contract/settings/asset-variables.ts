import { TOKEN, type Variable } from './variable.ts'

const MOST_MIB = 'whole number, 1 to 1024'
const PLACES = 'whole number, 1 to 64'
const SECONDS_OF_WORK = 'seconds, at most 3600'

/** Variables of the two processors of 3D models. */
export const ASSET_VARIABLES = {
  ASSET_WORKER_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of the asset worker; its routes answer 503 unless set.',
    isSecret: true,
  },
  ASSET_WORKER_MAX_UPLOAD_MB: {
    by: 'platform',
    form: MOST_MIB,
    default: '200',
    what: 'Largest model that the asset worker takes, in MiB.',
  },
  ASSET_WORKER_TIMEOUT_SECONDS: {
    by: 'platform',
    form: SECONDS_OF_WORK,
    default: '300',
    what: 'Time for the asset worker to process one model; then its process is killed.',
  },
  ASSET_WORKER_CONCURRENCY: {
    by: 'platform',
    form: PLACES,
    default: '1',
    what: 'Models that the asset worker processes at once; one more gets 429.',
  },
  ASSET_BAKER_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of the asset baker; its routes answer 503 unless set.',
    isSecret: true,
  },
  ASSET_BAKER_MAX_UPLOAD_MB: {
    by: 'platform',
    form: MOST_MIB,
    default: '200',
    what: 'Largest model that the asset baker takes, in MiB.',
  },
  ASSET_BAKER_TIMEOUT_SECONDS: {
    by: 'platform',
    form: SECONDS_OF_WORK,
    default: '600',
    what: 'Time for the asset baker to process one model; then its process is killed.',
  },
  ASSET_BAKER_CONCURRENCY: {
    by: 'platform',
    form: PLACES,
    default: '1',
    what: 'Models that the asset baker processes at once; one more gets 429.',
  },
  ASSET_BAKER_TARGET_TRIS: {
    by: 'platform',
    form: 'whole number, 12 to 10000000',
    default: '39000',
    what: 'Most triangles of a baked model whose request names no target_tris.',
  },
  ASSET_BAKER_TEX_SIZE: {
    by: 'platform',
    form: 'whole number, 16 to 8192',
    default: '2048',
    what: 'Longest side of the textures of a baked model whose request names no tex_size, in pixels.',
  },
  ASSET_BAKER_CANONICAL_SIZE: {
    by: 'platform',
    form: 'number, 0.001 to 1000',
    default: '4.0',
    what: 'Largest dimension of a baked model whose request names no canonical_size.',
  },
  ASSET_BAKER_BRIGHTNESS_MIN: {
    by: 'platform',
    form: 'number, 0 to 1',
    default: '0.05',
    what: 'A baked model whose mean brightness is below this is refused; 0 refuses none.',
  },
} as const satisfies Record<string, Variable>

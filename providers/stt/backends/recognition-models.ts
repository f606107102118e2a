import { hubFiles, hubPage, type DeclaredModel } from '../../kit/models/declared-model.ts'

/** The shape of its files decides which engine runs a model. */
export type EngineKind =
  | 'transducer'
  | 'transformers'
  | 'sherpa-transducer'
  | 'sherpa-ctc'
  | 'sherpa-whisper'
  | 'sherpa-moonshine'

/** A model that recognizes speech, with what its engine needs to know of it. */
export interface RecognitionModel {
  declared: DeclaredModel
  kind: EngineKind
  /** Null: it finds out itself. */
  languages: readonly string[] | null
  windowSeconds: number
}

export const MODEL_NAMES = ['parakeet-tdt-0.6b-v3', 'whisper-tiny', 'whisper-base', 'moonshine-base'] as const
export type ModelName = (typeof MODEL_NAMES)[number]

const model = (
  repository: string,
  license: string,
  revision: string,
  files: Parameters<typeof hubFiles>[2],
): DeclaredModel => ({
  id: repository,
  license,
  sourcePage: hubPage(repository),
  files: hubFiles(repository, revision, files),
})

/** A model that the project never ran on its real weights. */
const neverRun = (declared: DeclaredModel): DeclaredModel => ({ ...declared, experimental: true })

const named = (...paths: string[]): { path: string }[] => paths.map((path) => ({ path }))

/** The transformers library reads these files of a speech model in eight bits. */
const PIPELINE_FILES = named(
  'config.json',
  'generation_config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/encoder_model_quantized.onnx',
  'onnx/decoder_model_merged_quantized.onnx',
)

// Languages that the multilingual Whisper models were trained on.
const WHISPER_LANGUAGES = (
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk ' +
  'br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'
).split(' ')
// Whisper takes thirty seconds at a time; what is longer it cuts off.
const WHISPER = { languages: WHISPER_LANGUAGES, windowSeconds: 28 } as const
const ENGLISH = { languages: ['en'], windowSeconds: 28 } as const
// Parakeet's own limit is minutes; a minute keeps the memory of one window small.
const PARAKEET = { languages: null, windowSeconds: 60 } as const

/** Models of the onnx backend: run by onnxruntime in a process of ours. */
export const ONNX_MODELS: Readonly<Record<ModelName, RecognitionModel>> = {
  'parakeet-tdt-0.6b-v3': {
    kind: 'transducer',
    ...PARAKEET,
    declared: neverRun(
      model('istupakov/parakeet-tdt-0.6b-v3-onnx', 'CC-BY-4.0', '8f23f0c03c8761650bdb5b40aaf3e40d2c15f1ce', [
        {
          path: 'nemo128.onnx',
          sizeBytes: 139_764,
          sha256: 'a9fde1486ebfcc08f328d75ad4610c67835fea58c73ba57e3209a6f6cf019e9f',
        },
        {
          path: 'vocab.txt',
          sizeBytes: 93_939,
          sha256: 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
        },
        {
          path: 'decoder_joint-model.int8.onnx',
          sizeBytes: 18_202_004,
          sha256: 'eea7483ee3d1a30375daedc8ed83e3960c91b098812127a0d99d1c8977667a70',
        },
        {
          path: 'encoder-model.int8.onnx',
          sizeBytes: 652_183_999,
          sha256: '6139d2fa7e1b086097b277c7149725edbab89cc7c7ae64b23c741be4055aff09',
        },
      ]),
    ),
  },
  'whisper-tiny': {
    kind: 'transformers',
    ...WHISPER,
    declared: model('onnx-community/whisper-tiny_timestamped', 'Apache-2.0', 'main', PIPELINE_FILES),
  },
  'whisper-base': {
    kind: 'transformers',
    ...WHISPER,
    declared: model('onnx-community/whisper-base_timestamped', 'Apache-2.0', 'main', PIPELINE_FILES),
  },
  'moonshine-base': {
    kind: 'transformers',
    ...ENGLISH,
    declared: neverRun(model('onnx-community/moonshine-base-ONNX', 'MIT', 'main', PIPELINE_FILES)),
  },
}

/** Models of the sherpa backend. */
export const SHERPA_MODELS: Readonly<Record<ModelName, RecognitionModel>> = {
  'parakeet-tdt-0.6b-v3': {
    kind: 'sherpa-transducer',
    ...PARAKEET,
    declared: neverRun(
      model(
        'csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
        'CC-BY-4.0',
        '2bda32ec70b097a55adaa07d9a7173915b43cc78',
        [
          {
            path: 'tokens.txt',
            sizeBytes: 93_939,
            sha256: 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
          },
          {
            path: 'joiner.int8.onnx',
            sizeBytes: 6_355_277,
            sha256: '3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3',
          },
          {
            path: 'decoder.int8.onnx',
            sizeBytes: 11_845_275,
            sha256: '179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e',
          },
          {
            path: 'encoder.int8.onnx',
            sizeBytes: 652_184_281,
            sha256: 'acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247',
          },
        ],
      ),
    ),
  },
  'whisper-tiny': { kind: 'sherpa-whisper', ...ENGLISH, declared: sherpaWhisper('tiny') },
  'whisper-base': { kind: 'sherpa-whisper', ...ENGLISH, declared: sherpaWhisper('base') },
  'moonshine-base': {
    kind: 'sherpa-moonshine',
    ...ENGLISH,
    declared: neverRun(
      model(
        'csukuangfj/sherpa-onnx-moonshine-base-en-int8',
        'MIT',
        'main',
        named(
          'tokens.txt',
          'preprocess.onnx',
          'encode.int8.onnx',
          'uncached_decode.int8.onnx',
          'cached_decode.int8.onnx',
        ),
      ),
    ),
  },
}

function sherpaWhisper(size: string): DeclaredModel {
  return neverRun(
    model(
      `csukuangfj/sherpa-onnx-whisper-${size}`,
      'MIT',
      'main',
      named(`${size}-tokens.txt`, `${size}-encoder.int8.onnx`, `${size}-decoder.int8.onnx`),
    ),
  )
}

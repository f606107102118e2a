import { SERVICES, type LocalServiceName } from '../control/service-list.ts'
import {
  AUTH,
  LEVEL,
  LIST,
  MIB,
  PATH,
  PORT,
  SECONDS,
  SERVICE_LEVEL,
  TOKEN,
  UPLOAD_BYTES,
  URL_FORM,
} from './variable.ts'
import type { Program, Variable } from './variable.ts'

const portOf = (name: LocalServiceName): string => String(SERVICES[name].child.defaultPort)

/** Lists what each service of its own process reads under its prefix. */
const boundary = <Prefix extends 'DOCCONV' | 'STT' | 'TTS', Upload extends 'MAX_FILE_SIZE' | 'MAX_UPLOAD_BYTES'>(
  by: Program,
  prefix: Prefix,
  upload: Upload,
  uploadDefault: number,
  authDefault: string | null = 'required',
) => {
  type Name =
    `${Prefix}_${Upload | 'API_TOKEN' | 'AUTH_MODE' | 'CORS_ORIGINS' | 'TRUSTED_HOSTS' | 'UPLOAD_TIMEOUT_SECONDS' | 'CONCURRENCY' | 'INFERENCE_TIMEOUT_SECONDS'}`
  return {
    [`${prefix}_API_TOKEN`]: { by, form: TOKEN, default: null, what: 'Token that callers send.', isSecret: true },
    [`${prefix}_AUTH_MODE`]: {
      by,
      form: AUTH,
      default: authDefault,
      what:
        authDefault === null
          ? 'Whether callers must send the token; required when a token is set, else disabled.'
          : 'Whether callers must send the token. Required without a token refuses every guarded route.',
    },
    [`${prefix}_CORS_ORIGINS`]: { by, form: LIST, default: null, what: 'Origins of browser pages that may call.' },
    [`${prefix}_TRUSTED_HOSTS`]: {
      by,
      form: LIST,
      default: 'host.docker.internal',
      what: 'Host names besides those of loopback under which clients on this machine may call.',
    },
    [`${prefix}_${upload}`]: {
      by,
      form: UPLOAD_BYTES,
      default: String(uploadDefault),
      what: 'Largest file of a request.',
    },
    [`${prefix}_UPLOAD_TIMEOUT_SECONDS`]: { by, form: SECONDS, default: '120', what: 'Time for an upload to arrive.' },
    [`${prefix}_CONCURRENCY`]: {
      by,
      form: 'whole number, 1 to 64',
      default: '1',
      what: 'Requests at a time; one more gets 429.',
    },
    [`${prefix}_INFERENCE_TIMEOUT_SECONDS`]: { by, form: SECONDS, default: '900', what: 'Time for one request.' },
  } as Record<Name, Variable>
}

/** Variables of the converter, its adapter, speech to text, text to speech, and of their models. */
export const SERVICE_VARIABLES = {
  DOCCONV_HOST: { by: 'converter', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  DOCCONV_PORT: { by: 'converter', form: PORT, default: portOf('converter'), what: 'Port that it listens on.' },
  DOCCONV_LOG_LEVEL: { by: 'converter', form: LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('converter', 'DOCCONV', 'MAX_FILE_SIZE', 50 * MIB),
  DEVICE: {
    by: 'converter',
    form: 'cpu, cuda or mps',
    default: 'cpu',
    what: 'Conversions run on the processor; another device gives way to it, with a warning.',
  },
  DOCCONV_FORMULAS: {
    by: 'converter',
    form: 'true or false',
    default: 'true',
    what: 'Whether formulas are kept as such; else they become text.',
  },
  DOCCONV_CODE_BLOCKS: {
    by: 'converter',
    form: 'true or false',
    default: 'true',
    what: 'Whether code is kept as such; else it becomes text.',
  },
  DOCCONV_CACHE_DIR: {
    by: 'converter',
    form: PATH,
    default: null,
    what: 'Folder that recognition data is unpacked to; ~/.cache/rag-ladder unless set.',
  },
  DOCCONV_MAX_MEMORY_MIB: {
    by: 'converter',
    form: 'MiB, 256 or more',
    default: '2048',
    what: 'Memory that one conversion may use.',
  },
  DOCCONV_USE_OCR: {
    by: 'converter',
    form: 'auto, always or never',
    default: 'auto',
    what: 'Text recognition where a request does not choose.',
  },
  DOCCONV_OCR_ENGINE: {
    by: 'converter',
    form: 'tesseract or pp-ocr',
    default: 'tesseract',
    what: 'Engine of text recognition; pp-ocr also reads Chinese and Japanese, is slower, and needs its weights (page Services).',
  },
  DOCCONV_TABLE_MODE: {
    by: 'converter',
    form: 'fast or accurate',
    default: 'fast',
    what: 'Reading of tables where a request does not choose; accurate needs the table model.',
  },
  DOCCONV_CHUNK_SIZE: {
    by: 'converter',
    form: 'tokens, 1 to 100000',
    default: '512',
    what: 'Size of chunks where a request does not choose.',
  },
  DOCCONV_CHUNK_OVERLAP: {
    by: 'converter',
    form: 'tokens, at most half of the size',
    default: '50',
    what: 'Overlap of chunks where a request does not choose.',
  },
  LIBREOFFICE_PATH: {
    by: 'converter',
    form: PATH,
    default: null,
    what: 'LibreOffice program for old Office files; searched on PATH and in the usual folders unless set.',
  },
  DOCCONV_ADAPTER_HOST: {
    by: 'converter-adapter',
    form: 'host',
    default: '127.0.0.1',
    what: 'Address that it listens on.',
  },
  DOCCONV_ADAPTER_PORT: {
    by: 'converter-adapter',
    form: PORT,
    default: portOf('converter-adapter'),
    what: 'Port that it listens on.',
  },
  DOCCONV_ADAPTER_ENDPOINT: {
    by: 'converter-adapter',
    form: URL_FORM,
    default: null,
    what: 'An adapter in another process, for the engine to use instead of its own.',
  },
  DOCCONV_ADAPTER_LOG_LEVEL: { by: 'converter-adapter', form: LEVEL, default: 'warn', what: 'What is logged.' },
  DOCCONV_ADAPTER_AUTH_MODE: {
    by: 'converter-adapter',
    form: AUTH,
    default: 'required',
    what: 'Whether callers must send the token.',
  },
  DOCCONV_ADAPTER_API_TOKEN: {
    by: 'converter-adapter',
    form: TOKEN,
    default: null,
    what: 'Token that callers send.',
    isSecret: true,
  },
  DOCCONV_ADAPTER_MAX_JOBS: {
    by: 'converter-adapter',
    form: 'whole number, 1 to 64',
    default: '2',
    what: 'Jobs at a time, finished ones that were not fetched included.',
  },
  DOCCONV_ADAPTER_RESULT_TTL_SECONDS: {
    by: 'converter-adapter',
    form: SECONDS,
    default: '900',
    what: 'How long a result that was not fetched is kept.',
  },
  DOCCONV_ADAPTER_MAX_RESULT_BYTES: {
    by: 'converter-adapter',
    form: UPLOAD_BYTES,
    default: String(100 * MIB),
    what: 'Largest result of a conversion.',
  },
  DOCCONV_ADAPTER_UPSTREAM_MAX_ATTEMPTS: {
    by: 'converter-adapter',
    form: 'whole number, 1 to 100',
    default: '3',
    what: 'Attempts of a conversion at the converter.',
  },
  DOCCONV_ADAPTER_DOWNLOAD_TIMEOUT_SECONDS: {
    by: 'converter-adapter',
    form: SECONDS,
    default: '300',
    what: 'Time for the converter’s answer to arrive.',
  },
  DOCCONV_ADAPTER_TMPFS_SIZE: {
    by: 'converter-adapter',
    form: 'size such as 512m',
    default: '512m',
    what: 'Room in its temporary folder; too little for its jobs is refused at the start.',
  },
  STT_HOST: { by: 'stt', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  STT_PORT: { by: 'stt', form: PORT, default: portOf('stt'), what: 'Port; a free one when the default is taken.' },
  STT_LOG_LEVEL: { by: 'stt', form: SERVICE_LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('stt', 'STT', 'MAX_UPLOAD_BYTES', 100 * MIB),
  STT_BACKEND: {
    by: 'stt',
    form: 'auto, onnx, sherpa or pocketsphinx',
    default: 'auto',
    what: 'Recognizer; auto takes the best that works without a download.',
  },
  STT_MODEL: {
    by: 'stt',
    form: 'name of a model',
    default: 'parakeet-tdt-0.6b-v3',
    what: 'Model of the backends onnx and sherpa.',
  },
  STT_MODEL_DIR: { by: 'stt', form: PATH, default: null, what: "Folder that already has the model's files." },
  STT_DEVICE: { by: 'stt', form: 'auto, cpu, cuda or mps', default: 'auto', what: 'Device of the model.' },
  STT_SHERPA_DIR: {
    by: 'stt',
    form: PATH,
    default: null,
    what: 'Folder with sherpa-onnx-node; sherpa/ beside the folder of models unless set.',
  },
  STT_MAX_AUDIO_SECONDS: {
    by: 'stt',
    form: 'whole seconds, at most 86400',
    default: '14400',
    what: 'Longest recording that is transcribed.',
  },
  PORT: { by: 'tts', form: PORT, default: '4123', what: 'Port; a free one when the default is taken.' },
  TTSVOICE_LOCALHOST_PORT: { by: 'tts', form: PORT, default: null, what: 'Port that the app starts the service on.' },
  TTS_ENDPOINT: {
    by: 'tts',
    form: URL_FORM,
    default: null,
    what: 'A service in another process, for the engine to use instead of its own.',
  },
  TTS_HOST: { by: 'tts', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  TTS_LOG_LEVEL: { by: 'tts', form: SERVICE_LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('tts', 'TTS', 'MAX_UPLOAD_BYTES', 10 * MIB, null),
  TTS_PROVIDER_SOURCE: {
    by: 'tts',
    form: 'ttsbasic-container-cpu, ttsbasic-container-gpu, ttsvoice-container-gpu, ttsvoice-localhost or disabled',
    default: 'ttsbasic-container-cpu',
    what: 'Backend of the platform whose default model and error bodies the service has.',
  },
  RAG_LADDER_MODELS_DIR: {
    by: 'models',
    form: PATH,
    default: null,
    what: "Folder of downloaded models; rag-ladder/models in the system's cache folder unless set.",
  },
  RAG_LADDER_OFFLINE: { by: 'models', form: '1', default: null, what: 'Downloads nothing.' },
  HF_HUB_OFFLINE: { by: 'models', form: '1', default: null, what: 'The same, under the name that the hub uses.' },
  HF_ENDPOINT: { by: 'models', form: URL_FORM, default: null, what: 'Mirror of the hub that models come from.' },
} as const satisfies Record<string, Variable>

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { OutputFormat, TableMode, UseOcr } from '../../contract/http/conversion.ts'
import { createEnvReader } from '../kit/env-reader.ts'
import { modelStoreSettings } from '../kit/models/cache-folder.ts'
import type { ModelStoreSettings } from '../kit/models/model-store.ts'
import { readBoundarySettings, type ServiceBoundarySettings } from '../kit/service-boundary-settings.ts'
import { ServiceConfigError } from '../kit/service-config-error.ts'

/** A request may leave these open. */
export interface ConversionDefaults {
  format: OutputFormat
  useOcr: UseOcr
  tableMode: TableMode
  chunking: boolean
  chunkSize: number
  chunkOverlap: number
}

export interface ConverterConfig {
  host: string
  port: number
  logLevel: string
  /** Reported by `/health`. Conversions run on the processor. */
  device: 'cpu'
  /** Why another device that was asked for is not used; null where none was. */
  deviceNote: string | null
  formulas: boolean
  codeBlocks: boolean
  /** Recognition data is unpacked here. */
  cacheDir: string
  ocrEngine: OcrEngine
  /** Models are kept here and fetched from here. */
  modelStore: ModelStoreSettings
  maxMemoryBytes: number
  defaults: ConversionDefaults
  boundary: ServiceBoundarySettings
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const MIB = 1024 * 1024

const OCR_ENGINES = ['tesseract', 'pp-ocr'] as const
export type OcrEngine = (typeof OCR_ENGINES)[number]

/** Reads the environment. Throws `ServiceConfigError` with all problems at once. */
export function loadConverterConfig(env: Readonly<Record<string, string | undefined>>): ConverterConfig {
  const reader = createEnvReader(env)
  const device = reader.oneOf('DEVICE', ['cpu', 'cuda', 'mps'])
  const config: ConverterConfig = {
    host: reader.text('DOCCONV_HOST'),
    port: reader.integer('DOCCONV_PORT', { min: 0, max: 65_535 }),
    logLevel: reader.oneOf('DOCCONV_LOG_LEVEL', LEVELS),
    device: 'cpu',
    // Speech to text shares the variable's values, and one environment may start both.
    deviceNote: device === 'cpu' ? null : `DEVICE=${device} is not used: conversions run on the processor`,
    formulas: reader.flag('DOCCONV_FORMULAS'),
    codeBlocks: reader.flag('DOCCONV_CODE_BLOCKS'),
    cacheDir: resolve(reader.text('DOCCONV_CACHE_DIR', join(homedir(), '.cache', 'rag-ladder'))),
    ocrEngine: reader.oneOf('DOCCONV_OCR_ENGINE', OCR_ENGINES),
    modelStore: modelStoreSettings(env),
    maxMemoryBytes: reader.integer('DOCCONV_MAX_MEMORY_MIB', { min: 256, max: 1024 * 1024 }) * MIB,
    defaults: {
      format: 'markdown',
      useOcr: reader.oneOf('DOCCONV_USE_OCR', UseOcr.options),
      tableMode: reader.oneOf('DOCCONV_TABLE_MODE', TableMode.options),
      chunking: false,
      chunkSize: reader.integer('DOCCONV_CHUNK_SIZE', { min: 1, max: 100_000 }),
      chunkOverlap: reader.integer('DOCCONV_CHUNK_OVERLAP', { min: 0, max: 50_000 }),
    },
    boundary: readBoundarySettings(reader, 'DOCCONV'),
  }
  const { chunkSize, chunkOverlap } = config.defaults
  if (chunkOverlap > chunkSize / 2)
    reader.problems.push(
      `DOCCONV_CHUNK_OVERLAP: ${chunkOverlap} is more than half of DOCCONV_CHUNK_SIZE (${chunkSize})`,
    )
  if (reader.problems.length > 0) throw new ServiceConfigError('the converter', reader.problems)
  return config
}

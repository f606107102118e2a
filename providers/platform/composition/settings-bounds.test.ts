import { describe, expect, it } from 'vitest'
import { PLATFORM_VARIABLES } from '../../../contract/settings/platform-variables.ts'
import { createEnvReader } from '../../kit/env-reader.ts'
import { readDatabaseSettings } from '../stores/database/database-settings.ts'
import { readExtractionSettings } from '../specified/extraction/routes.ts'
import { readMediaSettings } from '../specified/media/media-settings.ts'
import { readMemorySettings } from '../specified/memory/memory-store.ts'
import { readResearchSettings } from '../specified/research/routes.ts'
import { readStorageSettings } from '../specified/storage/storage-settings.ts'
import { readTaskSettings } from '../jobs/task-settings.ts'

const READERS = [
  readDatabaseSettings,
  readTaskSettings,
  readStorageSettings,
  readExtractionSettings,
  readMemorySettings,
  readResearchSettings,
  readMediaSettings,
]

/** Values that a form describes: the lowest, the highest, and what lies outside. Null for forms without bounds. */
function boundsOf(form: string): { accepted: string[]; refused: string[] } | null {
  const whole = /^whole (?:number|seconds), (\d+) to (\d+)$/.exec(form)
  if (whole !== null) {
    const [low, high] = [Number(whole[1]), Number(whole[2])]
    return { accepted: [`${low}`, `${high}`], refused: [`${low - 1}`, `${high + 1}`, '1.5', 'many', '0x10', '1e3'] }
  }
  if (form === 'bytes')
    return { accepted: ['1', '9007199254740991'], refused: ['0', '-1', '1.5', '9007199254740993', '1MB'] }
  const most = /^seconds, at most (\d+)$/.exec(form)?.[1]
  if (most === undefined) return null
  return { accepted: ['0.1', most], refused: ['0', '-1', `${most}.1`, 'soon', '1e2', 'NaN'] }
}

/** The problems of one variable's own value; those of its relation to others have a test where they are read. */
function problemsOf(name: string, value: string | undefined): string[] {
  const reader = createEnvReader(value === undefined ? {} : { [name]: value })
  for (const read of READERS) read(reader)
  return reader.problems.filter((problem) => problem.startsWith(`${name}: invalid value`))
}

const READ_HERE =
  /^(?:BACKEND_DB_|TASK_|STORAGE_|MEMORY_|RESEARCH_|EXTRACTION_|MEDIA_|HOSTED_|IMAGEGEN_|MAX_UPLOAD_BYTES$)/
const bounded = Object.entries(PLATFORM_VARIABLES).flatMap(([name, { form, default: value }]) => {
  const bounds = READ_HERE.test(name) ? boundsOf(form) : null
  return bounds === null ? [] : [{ name, value, ...bounds }]
})

it('finds the bounded settings of database, jobs, storage, memory, research, media and extraction', () => {
  expect(bounded.map(({ name }) => name).sort()).toEqual([
    'BACKEND_DB_POOL_MAX',
    'BACKEND_DB_POOL_MIN',
    'EXTRACTION_MAX_FILE_SIZE',
    'EXTRACTION_TIMEOUT_SECONDS',
    'HOSTED_PROVIDER_TIMEOUT_SECONDS',
    'IMAGEGEN_COMPLETION_TIMEOUT_SECONDS',
    'IMAGEGEN_MAX_IMAGE_BYTES',
    'MAX_UPLOAD_BYTES',
    'MEDIA_BUDGET_RETENTION_DAYS',
    'MEDIA_INPUT_MAX_BYTES',
    'MEDIA_INPUT_MAX_PIXELS',
    'MEDIA_OPERATION_TTL_SECONDS',
    'MEDIA_REQUEST_MAX_BYTES',
    'MEMORY_MAX_FACTS',
    'RESEARCH_MAX_CONCURRENT',
    'RESEARCH_SESSION_LEASE_SECONDS',
    'STORAGE_QUOTA_BYTES',
    'TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS',
    'TASK_SOFT_TIME_LIMIT_SECONDS',
    'TASK_TIME_LIMIT_SECONDS',
    'TASK_WORKER_CONCURRENCY',
    'TASK_WORKER_PREFETCH_MULTIPLIER',
  ])
})

describe.each(bounded)('$name', ({ name, value, accepted, refused }) => {
  it('takes its default, its lowest and its highest value, as its documented form allows', () => {
    expect(problemsOf(name, undefined)).toEqual([])
    for (const each of value === null ? accepted : [value, ...accepted])
      expect([each, problemsOf(name, each)]).toEqual([each, []])
  })

  it.each(refused)('refuses %s and is named', (each) => {
    expect(problemsOf(name, each)).toEqual([expect.stringContaining(`${name}: invalid value "${each}": expected `)])
  })
})

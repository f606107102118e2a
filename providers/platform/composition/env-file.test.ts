import { mkdir, rm, writeFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { loadPlatformConfig } from './config.ts'
import { readEnvFile } from './env-file.ts'

let project: string
let manifests: string
beforeEach(async () => {
  project = await temporaryFolder('env-file')
  manifests = join(project, 'manifests')
  await mkdir(project, { recursive: true })
  await cp(join(PROJECT_ROOT, 'manifests'), manifests, { recursive: true })
})
afterEach(async () => rm(project, { recursive: true, force: true }))

const write = async (text: string): Promise<void> => writeFile(join(project, '.env'), text)
const load = (env: Record<string, string> = {}) => loadPlatformConfig({ RAG_LADDER_MANIFESTS: manifests, ...env })

it('limits in the env file of consumer.yaml apply, unless the environment sets them', async () => {
  await write('# limits of this project\nMAX_UPLOAD_BYTES=1000\nexport RESEARCH_MAX_CONCURRENT="7"\n')
  expect([load().storage.maxUploadBytes, load().research.maxConcurrent]).toEqual([1000, 7])
  await write('MAX_UPLOAD_BYTES=1000\nASSET_BAKER_BRIGHTNESS_MIN=0.2\n')
  expect(load().assets.bake.minBrightness).toBe(0.2)
  expect(load({ MAX_UPLOAD_BYTES: '2000' }).storage.maxUploadBytes).toBe(2000)
  expect(load({ MAX_UPLOAD_BYTES: '' }).storage.maxUploadBytes).toBe(1000)
})

it('a malformed limit in it is refused by name', async () => {
  await write('MAX_UPLOAD_BYTES=many\n')
  expect(() => load()).toThrow('MAX_UPLOAD_BYTES: invalid value "many"')
})

it.each([
  'BACKEND_IDENTITY_AUTH',
  'FAL_ENDPOINT',
  'WORKFLOW_URL',
  'RAG_LADDER_TRUSTED_ADDRESSES',
  'PLATFORM_PLUGINS',
  'PLATFORM_HOST',
  'RAG_LADDER_STATE_DIR',
  'BACKEND_INTERNAL_API_TOKEN',
  'MEDIA_BUDGET_ENABLED',
])('%s in it is ignored with a warning: a project may come from anyone', async (name) => {
  const usual = load()
  await write(`${name}=http://127.0.0.1:1\n`)
  expect(readEnvFile(manifests).values).toEqual({})
  expect(load()).toEqual({
    ...usual,
    warnings: [`${join(project, '.env')}: ${name} is not used: a project may set limits of the platform only`],
  })
})

it('its number of files holds against that of the host, and the environment against both', async () => {
  const host = { RAG_LADDER_HOST_MAX_FILES: '300000' }
  expect(load().corpusLimits.maxFiles).toBe(10_000)
  expect(load(host).corpusLimits.maxFiles).toBe(300_000)
  await write('RAG_INGESTION_MAX_FILES=7\n')
  expect(load(host).corpusLimits.maxFiles).toBe(7)
  expect(load({ ...host, RAG_INGESTION_MAX_FILES: '9' }).corpusLimits.maxFiles).toBe(9)
})

it('what other programs keep in it is left alone, and no file is no problem', async () => {
  expect(readEnvFile(manifests)).toEqual({ values: {}, warnings: [] })
  await write('OPENAI_API_KEY=x\nDATABASE_NAME=y\n')
  expect(readEnvFile(manifests)).toEqual({ values: {}, warnings: [] })
})

it('fields of consumer.yaml that this program cannot honour are refused', async () => {
  const { readFile } = await import('node:fs/promises')
  const file = join(manifests, 'consumer.yaml')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('compose_overlay: null', 'compose_overlay: compose.yaml'))
  expect(() => load()).toThrow('compose_overlay: is not read')
  await writeFile(file, text.replace('root: providers/platform/rag', 'root: elsewhere'))
  expect(() => load()).toThrow('plugin.root: expected providers/platform/rag')
})

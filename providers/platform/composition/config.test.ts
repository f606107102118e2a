import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadPlatformConfig, PlatformConfigError } from './config.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const DECLARED = resolve(import.meta.dirname, '../../../manifests')

const folder = suiteFolder('platform-config')

function problems(env: Record<string, string>): readonly string[] {
  try {
    loadPlatformConfig(env)
  } catch (error) {
    if (error instanceof PlatformConfigError) return error.problems
    throw error
  }
  return []
}

async function manifestsWith(file: string, change: (text: string) => string): Promise<string> {
  const copy = await mkdtemp(join(folder, 'manifests-'))
  await cp(DECLARED, copy, { recursive: true })
  await writeFile(join(copy, file), change(await readFile(join(copy, file), 'utf8')))
  return copy
}

describe('defaults', () => {
  it('starts the declared manifests on the default loopback port with the documented limits', () => {
    const config = loadPlatformConfig({})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: null,
      trustedHosts: ['host.docker.internal'],
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      revision: null,
      identity: { mode: 'required', tokens: {}, userSecret: null, graphEngineKey: null },
      edge: { enabled: false, key: null },
      rerankAdapter: { timeoutMs: 30_000, url: null, apiKey: null },
      requestTimeoutMs: 120_000,
      ragPluginUrl: null,
      corpusRoot: resolve(import.meta.dirname, '../../../corpus'),
      corpusLimits: { maxFileBytes: 104_857_600, maxCorpusBytes: 1_073_741_824, maxFiles: 10_000 },
      ingestionLeaseSeconds: 30,
    })
    expect(config.models.name).toBe('builtin')
    // As specified; the keyword baseline is served beside them.
    expect(config.consumer.aliases).toHaveLength(19)
    expect(config.profile).toBe(config.consumer.ingestion_profiles[0]!.name)
  })

  it('has the ingestion profiles of dataset files too', async () => {
    const manifests = await manifestsWith('consumer.yaml', (text) => text)
    await mkdir(join(manifests, 'datasets'), { recursive: true })
    const dataset = 'version: 1\nlabel: Notes\nquestions: [{ id: q-1, query: Who? }]\n'
    await writeFile(join(manifests, 'datasets/notes.yaml'), dataset)
    const { consumer, profile } = loadPlatformConfig({ RAG_LADDER_MANIFESTS: manifests, RAG_PROFILE: 'notes' })
    expect(profile).toBe('notes')
    expect(consumer.ingestion_profiles.find(({ name }) => name === 'notes')).toMatchObject({
      corpus: { source: 'mount', path: 'notes' },
      parser_order: ['converter', 'speech', 'plain_text'],
    })
    await writeFile(join(manifests, 'datasets/notes.yaml'), dataset.replace('label', 'lable'))
    expect(problems({ RAG_LADDER_MANIFESTS: manifests })).toContain(
      `${join(manifests, 'datasets/notes.yaml')}: lable: unknown field`,
    )
  })
})

describe('problems', () => {
  it('reports all of them at once', () => {
    expect(
      problems({
        PLATFORM_PORT: '70000',
        RAG_INGESTION_MAX_FILES: '1.5',
        RAG_INGESTION_EXECUTION_LEASE_SECONDS: '9',
        PLATFORM_LOG_LEVEL: 'loud',
        RAG_PLUGIN_URL: 'file:///etc/passwd',
        RAG_PROFILE: 'unlisted',
        RAG_MODEL_SET: 'none',
      }),
    ).toEqual([
      'PLATFORM_PORT: invalid value "70000": expected a whole number from 0 to 65535',
      'PLATFORM_LOG_LEVEL: invalid value "loud": expected one of fatal, error, warn, info, debug, trace, silent',
      'RAG_PLUGIN_URL: invalid value: expected an http or https address',
      'RAG_INGESTION_MAX_FILES: invalid value "1.5": expected a whole number from 1 to 9007199254740991',
      'RAG_INGESTION_EXECUTION_LEASE_SECONDS: invalid value "9": expected a whole number from 10 to 300',
      expect.stringMatching(/models\.yaml: no model set is named "none"; known sets: builtin, /),
      expect.stringMatching(/^RAG_PROFILE: no ingestion profile is named "unlisted"; there are /),
    ])
  })

  it.each(['0', '-1', '3600.5', 'soon', '1e2', 'Infinity', 'NaN'])('refuses a rerank deadline of %s', (value) => {
    expect(problems({ GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS: value })).toEqual([
      `GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS: invalid value "${value}": expected a number of seconds greater than 0 and at most 3600`,
    ])
  })

  it.each(['0.5', '3600'])('takes a rerank deadline of %s seconds', (value) => {
    const { rerankAdapter } = loadPlatformConfig({ GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS: value })
    expect(rerankAdapter.timeoutMs).toBe(Number(value) * 1000)
  })

  it('names file and path of a manifest’s fault', async () => {
    const manifests = await manifestsWith('consumer.yaml', (text) => text.replace('route_prefix:', 'rute_prefix:'))
    const found = problems({ RAG_LADDER_MANIFESTS: manifests })
    expect(found).toContain(`${join(manifests, 'consumer.yaml')}: plugin.rute_prefix: unknown field`)
    expect(found.some((problem) => problem.includes('consumer.yaml: plugin.route_prefix: '))).toBe(true)
  })

  it('names files that are missing', () => {
    const absent = join(folder, 'absent')
    expect(problems({ RAG_LADDER_MANIFESTS: absent })).toEqual(
      ['consumer', 'flavors', 'models'].map((name) => `${join(absent, `${name}.yaml`)}: cannot be read (ENOENT)`),
    )
  })

  it('names an alias without parameters, and one with those of another base', async () => {
    const manifests = await manifestsWith('flavors.yaml', (text) =>
      text.replace('alias: vanilla-rag,', 'alias: renamed,'),
    )
    expect(problems({ RAG_LADDER_MANIFESTS: manifests })).toEqual([
      'flavors.yaml: the alias renamed is not declared in consumer.yaml',
      'flavors.yaml: the alias vanilla-rag of consumer.yaml has no parameters',
    ])
    const other = await manifestsWith('consumer.yaml', (text) =>
      text.replace('alias: vanilla-rag, base: vanilla-rag', 'alias: vanilla-rag, base: hybrid-rag'),
    )
    expect(problems({ RAG_LADDER_MANIFESTS: other })).toEqual([
      'flavors.yaml: the alias vanilla-rag has the base vanilla-rag here and hybrid-rag in consumer.yaml: name the same one',
    ])
  })

  it('adds the flavors of the person beside the manifests, and names what is wrong in their file', async () => {
    const project = await mkdtemp(join(folder, 'own-flavors-'))
    await cp(DECLARED, join(project, 'manifests'), { recursive: true })
    await mkdir(join(project, '.rag-ladder'))
    const file = join(project, '.rag-ladder/flavors.yaml')
    const env = { RAG_LADDER_MANIFESTS: join(project, 'manifests') }
    await writeFile(file, 'version: 1\nflavors: { vanilla-k2: { base: vanilla-rag, parameters: { k: 2 } } }\n')
    const { consumer, flavors } = loadPlatformConfig(env)
    expect(consumer.aliases.at(-1)).toMatchObject({ alias: 'vanilla-k2', evidence: 'answer_with_contexts' })
    expect(flavors.flavors.at(-1)).toMatchObject({ alias: 'vanilla-k2', parameters: { k: 2 } })
    await writeFile(file, 'version: 1\nflavors: { bm25: { base: vanilla-rag, parameters: { k: 2 } } }\n')
    expect(problems(env)).toEqual([`${file}: flavors.bm25: bm25 is a name of the project: choose another`])
    await writeFile(file, 'version: 1\nflavors: { a: { base: vanilla-rag, parameters: { k: 0 } } }\n')
    expect(problems(env)).toEqual([expect.stringContaining(`${file}: flavors.a.parameters.k: `)])
  })

  it('names a secret that is not set, once, and never its value', () => {
    expect(problems({ RAG_MODEL_SET: 'openai' })).toEqual([
      expect.stringMatching(
        /models\.yaml: sets\.openai: the environment variable OPENAI_API_KEY is not set \(roles embed, /,
      ),
    ])
    expect(problems({ RAG_MODEL_SET: 'openai', OPENAI_API_KEY: 'hush' })).toEqual([])
    expect(JSON.stringify(loadPlatformConfig({ RAG_MODEL_SET: 'openai', OPENAI_API_KEY: 'hush' }))).not.toContain(
      'hush',
    )
  })
})

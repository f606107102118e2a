import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { declareSmokeInOlderLayout } from '../../tests/helpers/older-layout.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { checkCorpus, loadExperiment } from './experiment.ts'
import { ManifestError } from './manifest-error.ts'
import { modelsHash } from './project/declared-models.ts'
import { configHashes, runtimeFiles } from './project/provenance.ts'

let root: string

beforeEach(async () => {
  root = await temporaryFolder('manifests')
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await declareSmokeInOlderLayout(root)
})

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const path = join(root, 'manifests', file)
  const text = await readFile(path, 'utf8')
  const changed = text.replace(from, to)
  expect(changed).not.toBe(text)
  await writeFile(path, changed)
}

const problems = async (): Promise<string[]> => {
  try {
    return (await loadExperiment(root)).unusable.flatMap((each) => each.problems)
  } catch (error) {
    if (error instanceof ManifestError) return error.problems
    throw error
  }
}

describe('loadExperiment', () => {
  it('reads 25 aliases, 8 ingestion profiles and 4 graph query profiles', async () => {
    const experiment = await loadExperiment(root)
    expect(experiment.aliases.size).toBe(25)
    expect(experiment.consumer.ingestion_profiles).toHaveLength(8)
    expect(experiment.consumer.graph_query_profiles).toHaveLength(4)
    for (const profile of experiment.consumer.ingestion_profiles)
      expect(profile.chunker).toEqual({ strategy: 'recursive', chunk_size: 800, overlap: 100 })
    expect(experiment.aliases.get('hybrid-rag-fast')!.flavor.parameters).toEqual({
      retrieve_k: 10,
      top_n: 5,
      alpha: 0.5,
      rerank: false,
    })
  })

  const faults: [string, string, string | RegExp, string, string][] = [
    ['an unknown field', 'evaluation.yaml', 'concurrency: 1', 'concurency: 1', 'run.concurency: unknown field'],
    [
      'a value out of range',
      'evaluation.yaml',
      'concurrency: 1',
      'concurrency: 64',
      'run.concurrency: at most 32 is allowed',
    ],
    ['a numeric seed', 'evaluation.yaml', "seed: 'ladder'", 'seed: 7', 'run.seed: a text is required, not a number'],
    ['no version', 'evaluation.yaml', 'version: 1', '', 'version: version: 1 (or schema_version: 1) is required'],
    [
      'an unknown approach',
      'evaluation.yaml',
      'model: hybrid-rag,',
      'model: hybrid-rga,',
      'approaches[1].model: hybrid-rga is not an alias of manifests/consumer.yaml',
    ],
    [
      'a repeated approach',
      'evaluation.yaml',
      'model: lazy-graph-rag,',
      'model: vanilla-rag,',
      'approaches[6].model: vanilla-rag is listed twice: remove one of them',
    ],
    [
      'a missing canonical approach',
      'evaluation.yaml',
      /.*model: agentic-rag.*\n/,
      '',
      'approaches: agentic-rag missing: list the six canonical approaches with their evidence',
    ],
    [
      'a repeated metric',
      'evaluation.yaml',
      'ragas: [faithfulness, answer_relevancy]',
      'ragas: [faithfulness, faithfulness]',
      'metrics.ragas[1]: faithfulness is listed twice: remove one of them',
    ],
    [
      'a credential in the address of the judges',
      'evaluation.yaml',
      'endpoint: platform-gateway',
      'endpoint: "https://:pass@judges"',
      'metrics.judge_panel.endpoint: remove user name and password from the address: credentials are read from the environment',
    ],
    [
      'a wrong capability',
      'evaluation.yaml',
      'graph-rag, evidence: answer_only',
      'graph-rag, evidence: answer_with_contexts',
      'approaches[3].evidence: answer_with_contexts, but manifests/consumer.yaml declares answer_only for graph-rag',
    ],
    [
      'a missing flavor',
      'flavors.yaml',
      /.*alias: graph-rag-wide.*\n/,
      '',
      'the alias graph-rag-wide of consumer.yaml has no parameters',
    ],
    ['a duplicate question', 'queries/smoke.yaml', 'id: sm-02', 'id: sm-01', 'queries: question ids must be unique'],
    [
      'no questions',
      'queries/smoke.yaml',
      /queries:[\s\S]*/,
      'queries: []',
      'queries: at least one question is needed',
    ],
    [
      'a corpus path that escapes',
      'datasets.yaml',
      'corpus/smoke',
      '../../etc',
      'datasets[0].corpus_path: a relative path with forward slashes and without ".."',
    ],
    [
      'an overlap that is too large',
      'consumer.yaml',
      'overlap: 100',
      'overlap: 800',
      'ingestion_profiles[0].chunker.overlap: overlap must be less than chunk_size',
    ],
    [
      'a missing file',
      'datasets.yaml',
      'manifests/queries/smoke.yaml',
      'manifests/queries/none.yaml',
      'there is no such file; smoke.queries_file in manifests/datasets.yaml names it: create it, or correct the path',
    ],
    [
      'an alias bomb',
      'evaluation.yaml',
      "seed: 'ladder'",
      `seed: 'ladder'\nx: &a [1, 1]\ny: &b [${'*a, '.repeat(9)}]\nz: &c [${'*b, '.repeat(9)}]\nbomb: [*c, *c]`,
      'too many YAML aliases: write the values out',
    ],
    [
      'an alias without anchor',
      'evaluation.yaml',
      "seed: 'ladder'",
      'seed: *none',
      'an alias (*name) has no anchor (&name) before it: write the value out',
    ],
    [
      'a model set without a model for a role',
      'models.yaml',
      'rerank: { backend: builtin, model: lexical-reranker }',
      '',
      'sets.builtin.roles.rerank: missing: name a model, or give the set a default',
    ],
  ]
  it.each(faults)('refuses %s by its path', async (_name, file, from, to, problem) => {
    await edit(file, from, to)
    expect(await problems()).toContain(problem)
  })

  it('names line and column of broken YAML, and of a duplicate key', async () => {
    await edit('evaluation.yaml', 'metrics:', 'metrics: [')
    expect((await problems())[0]).toMatch(/^manifests\/evaluation\.yaml:\d+:\d+: .+; close the quote or bracket$/)
    await edit('evaluation.yaml', 'metrics: [', 'run: {}\nmetrics:')
    expect((await problems())[0]).toMatch(
      /^manifests\/evaluation\.yaml:\d+:\d+: Map keys must be unique; keep one of the two$/,
    )
  })

  it('reads anchors and merge keys, and gives roles that a model set leaves out its default', async () => {
    const sets =
      '  own:\n    description: d\n    default: &usual { backend: openai, base_url: http://127.0.0.1:1/v1, model: m }\n' +
      '    roles:\n      embed: { <<: *usual, model: e }\n      evaluator: *usual\n'
    await writeFile(join(root, 'manifests/models.yaml'), `version: 1\ndefault_set: own\nsets:\n${sets}`)
    const { roles } = (await loadExperiment(root)).models.sets['own']!
    expect(roles.embed).toMatchObject({ model: 'e', base_url: 'http://127.0.0.1:1/v1' })
    expect([roles.evaluator, roles.rerank, roles.graph_query]).toEqual([
      roles.light_gen,
      roles.light_gen,
      roles.light_gen,
    ])
    expect(roles.light_gen).toMatchObject({ backend: 'openai', model: 'm' })
  })

  it('adds the model sets of the person, and hashes them only for a run that uses one', async () => {
    const hash = async (set: string | null) => {
      const experiment = await loadExperiment(root)
      return modelsHash(experiment, set)
    }
    const before = await hash(null)
    await mkdir(join(root, '.rag-ladder'), { recursive: true })
    const file = join(root, '.rag-ladder/models.yaml')
    const written = (model: string): string =>
      `version: 2\nconnections:\n  home: { kind: ollama }\nsets:\n  mine:\n    default: { connection: home, model: ${model} }\n`
    await writeFile(file, written('a'))
    expect((await loadExperiment(root)).models.sets['mine']?.roles.light_gen.model).toBe('a')
    expect(await hash(null)).toBe(before)
    const first = await hash('mine')
    expect(first).not.toBe(before)
    await writeFile(file, written('b'))
    expect(await hash('mine')).not.toBe(first)
    await writeFile(file, written('b').replace('connection: home', 'connection: work'))
    await expect(loadExperiment(root)).rejects.toThrow(
      /^\.rag-ladder\/models\.yaml cannot be used:\s+sets\.mine\.default\.connection: no connection is named work; there are /m,
    )
  })

  it('accepts schema_version in place of version', async () => {
    await edit('evaluation.yaml', 'version: 1', 'schema_version: 1')
    expect(await problems()).toEqual([])
  })

  it('reads 10,000 questions', async () => {
    const queries = Array.from({ length: 10_000 }, (_, index) => ({ id: `q-${index}`, query: `Question ${index}?` }))
    await writeFile(
      join(root, 'manifests/queries/smoke.yaml'),
      JSON.stringify({ version: 1, dataset_id: 'smoke', queries }),
    )
    const experiment = await loadExperiment(root)
    expect(experiment.datasets[0]!.questions).toHaveLength(10_000)
  })
})

it('a dataset whose catalogue names another corpus than its ingestion profile is unusable, naming both folders and both files', async () => {
  await edit('datasets.yaml', 'corpus_path: corpus/smoke', 'corpus_path: corpus/subset')
  expect(await problems()).toEqual([
    'smoke.corpus_path: corpus/subset, but its ingestion profile smoke in manifests/consumer.yaml reads corpus/smoke: name the same folder in both',
  ])
})

it('checkCorpus refuses a corpus root from the environment that holds another corpus than the rows would name', async () => {
  const experiment = await loadExperiment(root)
  const [dataset] = experiment.datasets
  await expect(checkCorpus(experiment, dataset!, '/elsewhere')).rejects.toThrow(/RAG_INGESTION_CORPUS_ROOT/)
  await mkdir(join(root, 'corpus/smoke'), { recursive: true })
  await checkCorpus(experiment, dataset!, join(root, 'corpus'))
})

it('configHashes ignores comments, layout, concurrency and publications, and sees every value', async () => {
  const hashes = async () => {
    const experiment = await loadExperiment(root)
    return configHashes(experiment, experiment.datasets[0]!)
  }
  const before = await hashes()
  await edit('evaluation.yaml', 'concurrency: 1', '# faster\n  concurrency: 8')
  await edit(
    'datasets.yaml',
    '    ingestion_profile: smoke',
    '    ingestion_profile: smoke\n    published: { run_id: x, ingestion: null, artifacts: [] }',
  )
  expect(await hashes()).toEqual(before)
  await edit('evaluation.yaml', 'retries: 1', 'retries: 2')
  expect(await hashes()).not.toEqual(before)
  expect({ ...(await hashes()), evaluation: '' }).toEqual({ ...before, evaluation: '' })
})

it('runtimeFiles names the ingestion profile of the dataset alone: one that is added changes nothing for the others', async () => {
  const experiment = await loadExperiment(root)
  const [dataset] = experiment.datasets
  const { consumer } = experiment
  const added = { ...dataset!.profile, name: 'added' }
  const larger = {
    ...experiment,
    consumer: { ...consumer, ingestion_profiles: [...consumer.ingestion_profiles, added] },
  }
  const files = runtimeFiles(larger, dataset!)
  expect(files).toEqual(runtimeFiles(experiment, dataset!))
  expect(files[1]).toMatchObject({ path: 'registry/ingestion-profiles', entries: [dataset!.profile.name] })
  expect(runtimeFiles(larger, { ...dataset!, profile: added })[1]).not.toEqual(files[1])
})

import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { residentOfTree } from '../bench/process-tree.ts'
import { smokeProject } from '../helpers/cli.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { leaveOneQuestion } from './one-question.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('smollm2-135m')
skipWithout(weights)

/** The language model writes answers and ends after a second without a request. */
const SETS = `version: 2
sets:
  brief:
    description: SmolLM2-135M answers, rules do the rest.
    default: { backend: builtin, model: extractive-answerer }
    roles:
      embed: { backend: builtin, model: hashed-768 }
      rerank: { backend: builtin, model: lexical-reranker }
      light_gen: { backend: gguf, model: '\${RAG_LADDER_GGUF_FILE}', context_size: 2048, max_new_tokens: 16, keep_alive_s: 1 }
      contextual_blurb: { backend: builtin, model: title-blurb }
      agentic: { backend: builtin, model: rule-agent }
      graph_extract: { backend: builtin, model: pattern-extractor }
      graph_keyword: { backend: builtin, model: keyword-splitter }
      workflow_classifier: { backend: builtin, model: rule-classifier }
      evaluator: { backend: builtin, model: rule-critic }
      evaluator_embed: { backend: builtin, model: hashed-768 }
`
const OPERATOR = 'token-of-the-operator'
const GATEWAY = 'key-of-the-gateway'

it.runIf(process.platform === 'linux')(
  'the platform gives the memory of a language model back when it was not asked for a second',
  async () => {
    const root = await smokeProject()
    await leaveOneQuestion(root)
    await mkdir(join(root, '.rag-ladder'))
    await writeFile(join(root, '.rag-ladder/models.yaml'), SETS)
    const platform = await startPlatformProcess({
      RAG_LADDER_STATE_DIR: join(root, '.rag-ladder/platform'),
      RAG_LADDER_MANIFESTS: join(root, 'manifests'),
      RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
      RAG_PROFILE: 'smoke',
      RAG_MODEL_SET: 'brief',
      RAG_LADDER_GGUF_FILE: join(weights.folder!, 'SmolLM2-135M-Instruct.Q4_1.gguf'),
      BACKEND_INTERNAL_API_TOKEN: OPERATOR,
      GATEWAY_MASTER_KEY: GATEWAY,
    })
    const post = (path: string, key: string, body: unknown): Promise<Response> =>
      fetch(platform.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const ask = async (): Promise<number> => {
      const messages = [{ role: 'user', content: 'Who looks after the lock?' }]
      const cache = { 'no-cache': true, 'no-store': true }
      return (await post('/v1/chat/completions', GATEWAY, { model: 'vanilla-rag', messages, cache })).status
    }
    const resident = (): Promise<Record<string, number>> => residentOfTree(platform.child.pid!)
    try {
      const { ingestion_id: id } = (await (
        await post('/api/rag/ingestions', OPERATOR, { profile: 'smoke' })
      ).json()) as { ingestion_id: string }
      await vi.waitFor(
        async () => {
          const headers = { authorization: `Bearer ${OPERATOR}` }
          const record = await fetch(`${platform.url}/api/rag/ingestions/${id}`, { headers })
          expect(await record.json()).toMatchObject({ status: 'completed' })
        },
        { timeout: 30_000, interval: 200 },
      )
      const rounds: { before: number; loaded: number; after: number }[] = []
      for (let round = 0; round < 3; round += 1) {
        const before = await resident()
        expect(await ask()).toBe(200)
        const loaded = await resident()
        expect(loaded['language model']).toBeGreaterThan(100)
        await vi.waitFor(async () => expect((await resident())['language model']).toBeUndefined(), { timeout: 15_000 })
        rounds.push({ before: before['all']!, loaded: loaded['all']!, after: (await resident())['all']! })
      }
      console.log(
        `platform, all processes, in MB: ${rounds.map(({ before, loaded, after }) => [before, loaded, after].map(Math.round).join(' → ')).join('; ')}`,
      )
      // The first answer also compiles what writes answers; what comes after adds nothing that stays.
      for (const { loaded, after } of rounds) expect(loaded - after).toBeGreaterThan(100)
      expect(rounds[2]!.after).toBeLessThan(rounds[0]!.after * 1.1)
    } finally {
      await platform.stop()
      await rm(root, { recursive: true })
    }
  },
)

import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EMBEDDING_DIMENSIONS } from '../../providers/platform/models/builtin/embedding/embed-text.ts'
import { startPeer, type RunningPeer } from './running-peer.ts'

interface LightragServer {
  /** Folder of its programs, and of LiteLLM's: LightRAG counts tokens by tables that it downloads, and the other package has them inside. */
  bin: string
  tables: string
  /** Folder of a test; the server keeps everything below it. */
  root: string
  /** Address of the model service of rules, and the key that the server asks its callers for. */
  model: string
  key: string
  /** Settings of its own, such as CHUNK_SIZE; as it comes without them. */
  env?: Record<string, string>
}

/** Starts a real LightRAG server over a model service of rules. */
export function startLightragServer({ bin, tables, root, model, key, env = {} }: LightragServer): Promise<RunningPeer> {
  const [tokenizers] = globSync(
    join(dirname(tables), 'lib/python*/site-packages/litellm/litellm_core_utils/tokenizers'),
  )
  return startPeer(join(bin, 'lightrag-server'), {
    args: (port) => {
      const folders = ['--working-dir', join(root, 'lightrag'), '--input-dir', join(root, 'lightrag-input')]
      const models = ['--llm-binding', 'openai', '--embedding-binding', 'openai']
      return ['--host', '127.0.0.1', '--port', String(port), '--key', key, ...folders, ...models]
    },
    env: {
      TIKTOKEN_CACHE_DIR: tokenizers!,
      LLM_MODEL: 'rules',
      LLM_BINDING_HOST: model,
      LLM_BINDING_API_KEY: 'none',
      EMBEDDING_MODEL: 'hashed',
      EMBEDDING_DIM: String(EMBEDDING_DIMENSIONS),
      EMBEDDING_BINDING_HOST: model,
      EMBEDDING_BINDING_API_KEY: 'none',
      RERANK_BINDING: 'null',
      LOG_DIR: root,
      ...env,
    },
    healthPath: '/health',
  })
}

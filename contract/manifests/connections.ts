import { z } from 'zod'
import { ServiceAddress } from '../service-address.ts'
import type { VariableName } from '../settings/variables.ts'

/**
 * Services outside of this program, by their name in `manifests/connections.yaml`, with the variable that replaces what the file says. Databases are
 * not among them: their addresses hold passwords, so they are named by variables only.
 */
export const EXTERNAL_SERVICES = {
  gateway: { label: 'gateway', variable: 'MATRIX_GATEWAY_URL' },
  platform: { label: 'platform', variable: 'MATRIX_PLATFORM_URL' },
  evaluator: { label: 'evaluator', variable: 'MATRIX_EVALUATOR_URL' },
  rag_plugin: { label: 'RAG plugin', variable: 'RAG_PLUGIN_URL' },
  graph_engine: { label: 'graph engine', variable: 'GRAPHENGINE_URL' },
  workflow_engine: { label: 'workflow engine', variable: 'WORKFLOW_URL' },
  reranker: { label: 'reranker', variable: 'RERANKER_URL' },
  vector_store: { label: 'vector store', variable: 'VECTOR_STORE_URL' },
  object_store: { label: 'object store', variable: 'S3_ENDPOINT' },
  searxng: { label: 'SearXNG', variable: 'SEARXNG_URL' },
  ray: { label: 'Ray cluster', variable: 'RAY_URL' },
  image_service: { label: 'image service', variable: 'COMFYUI_URL' },
  converter: { label: 'document converter', variable: 'DOCCONV_ENDPOINT' },
  converter_adapter: { label: 'converter adapter', variable: 'DOCCONV_ADAPTER_ENDPOINT' },
  speech_to_text: { label: 'speech to text', variable: 'STT_ENDPOINT' },
  text_to_speech: { label: 'text to speech', variable: 'TTS_ENDPOINT' },
} as const satisfies Record<string, { label: string; variable: VariableName }>

export type ExternalService = keyof typeof EXTERNAL_SERVICES
export const EXTERNAL_SERVICE_NAMES = Object.keys(EXTERNAL_SERVICES) as [ExternalService, ...ExternalService[]]

/** `manifests/connections.yaml`: addresses of services that everybody who works in the project uses. Keys are variables of each person. */
export const ConnectionsFile = z.strictObject({
  version: z.literal(1),
  services: z.partialRecord(z.enum(EXTERNAL_SERVICE_NAMES), ServiceAddress),
})
export type ConnectionsFile = z.infer<typeof ConnectionsFile>

import type { DatasetGraph } from '../../../contract/control/corpora.ts'
import { GraphPicture } from '../../../contract/http/graph-picture.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { describeIssues } from '../../../core/issues.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { PlatformError } from '../../runner/platform/platform-client.ts'
import { SecretsError } from '../../lib/files/private-file.ts'
import { ServiceFailedError } from '../../supervisor/supervised-service.ts'
import type { AskablePlatform, PlatformHost } from '../services/platform-host.ts'

/** States where the platform has its graph engine. */
const GRAPH_PATH = '/graph-engine/graph'
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024
/** A graph must fit into one answer of the control API; the least connected parts are removed first. */
const MAX_PICTURE_BYTES = 900_000

const no = (reason: Extract<DatasetGraph, { ok: false }>['reason'], message: string): DatasetGraph => ({
  ok: false,
  reason,
  message,
})

/** A picture that fits: descriptions are shortened, then the least connected nodes left out. */
function fitPicture(picture: GraphPicture): GraphPicture {
  let fitted = picture
  for (const descriptionChars of [400, 120, 0]) {
    fitted = {
      ...picture,
      nodes: picture.nodes.map((node) => ({ ...node, description: node.description.slice(0, descriptionChars) })),
    }
    if (Buffer.byteLength(JSON.stringify(fitted)) <= MAX_PICTURE_BYTES) return fitted
  }
  while (Buffer.byteLength(JSON.stringify(fitted)) > MAX_PICTURE_BYTES && fitted.nodes.length > 1) {
    const nodes = fitted.nodes.toSorted((a, b) => b.degree - a.degree).slice(0, Math.floor(fitted.nodes.length / 2))
    const kept = new Set(nodes.map(({ id }) => id))
    const edges = fitted.edges.filter(({ source, target }) => kept.has(source) && kept.has(target))
    fitted = { ...fitted, nodes, edges, truncated: true }
  }
  return fitted
}

async function fetchPicture({ url, graphEngineKey, edgeKey }: AskablePlatform, limit: number): Promise<DatasetGraph> {
  const headers = { 'x-api-key': graphEngineKey, ...(edgeKey === null ? {} : { apikey: edgeKey }) }
  const answer = await createHttpClient(headers).send(`${url}${GRAPH_PATH}?limit=${limit}`, {
    limitBytes: ANSWER_LIMIT_BYTES,
  })
  if (answer.status !== 200) return no('unavailable', `the graph engine answered HTTP ${answer.status}`)
  const parsed = GraphPicture.safeParse(answer.json)
  if (parsed.success) return { ok: true, picture: fitPicture(parsed.data) }
  return no('unavailable', `the graph engine answered in an unknown form: ${describeIssues(parsed.error)[0] ?? ''}`)
}

const isForeseen = (error: unknown): error is Error =>
  error instanceof ServiceFailedError || error instanceof PlatformError || error instanceof SecretsError

/** A dataset's knowledge graph as the embedded platform has it, or why it is unavailable. */
export async function datasetGraph(
  platform: PlatformHost,
  { dataset, profile }: LadderDataset,
  modelSet: string | null,
  limit: number,
): Promise<DatasetGraph> {
  if (!(await platform.hasState(profile.name)))
    return no('not_ingested', `Nothing has been ingested for ${dataset.id} yet. A run of this dataset does it.`)
  try {
    const askable = await platform.ask(profile.name, modelSet)
    if (askable === null) return no('busy', 'the platform serves another dataset just now')
    return await fetchPicture(askable, limit)
  } catch (error) {
    if (isForeseen(error)) return no('unavailable', error.message)
    if (error instanceof HttpFault) return no('unavailable', `the graph engine cannot be asked: ${error.reason}`)
    throw error
  }
}

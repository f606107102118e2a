import type { TermStatistics } from '../../models/model-host.ts'
import type { CollectionInfo } from '../../stores/vector-store/vector-store.ts'
import type { ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { termStatistics } from './collection.ts'

/** The question's vector in the space of a collection, its words weighed by the collection's statistics where the model can. Refuses a collection whose vectors have another dimension: nothing could be compared. */
export async function embedQuestion(
  question: string,
  collection: Pick<CollectionInfo, 'name' | 'dimensions'>,
  services: Pick<ApproachServices, 'models' | 'store' | 'trial'>,
  signal?: AbortSignal,
  known?: TermStatistics,
): Promise<Float32Array> {
  const { models } = services
  const statistics = known ?? (await termStatistics(question, collection.name, services))
  const embed = async (): Promise<Float32Array> =>
    only(await models.embed('embed', [question], 'query', signal, statistics))
  const vector = await (services.trial === undefined
    ? embed()
    : services.trial.vectorOf(vectorKey(models.embeddingSpace(), question, statistics), embed))
  return fitting(vector, collection)
}

/** The vector of a text that is compared as a passage, in the space of a collection. Refuses as `embedQuestion` does. */
export async function embedPassage(
  text: string,
  collection: Pick<CollectionInfo, 'name' | 'dimensions'>,
  { models }: Pick<ApproachServices, 'models'>,
  signal?: AbortSignal,
): Promise<Float32Array> {
  return fitting(only(await models.embed('embed', [text], 'document', signal)), collection)
}

/** The mean of vectors of one dimension, of length 1; the first where they cancel out. */
export function meanVector(vectors: readonly [Float32Array, ...Float32Array[]]): Float32Array {
  const sum = vectors[0].map((_, at) => vectors.reduce((total, vector) => total + vector[at]!, 0))
  const length = Math.hypot(...sum)
  return length === 0 ? vectors[0] : sum.map((value) => value / length)
}

function only([vector, ...rest]: Float32Array[]): Float32Array {
  if (vector === undefined || rest.length > 0)
    throw new RagError('model_answer_invalid', 'the embedding model did not return one vector for one text')
  return vector
}

function fitting(
  vector: Float32Array,
  { name, dimensions }: Pick<CollectionInfo, 'name' | 'dimensions'>,
): Float32Array {
  if (vector.length === dimensions) return vector
  const problem = `collection ${name} holds vectors of ${dimensions} dimensions, the embedding model now makes ${vector.length}`
  throw new RagError('collection_outdated', `${problem}: ingest its profile again, or choose the model that made it`)
}

/** All that a question's vector depends on: built-in models weigh its words by the statistics of the collection. */
const vectorKey = (space: string, question: string, statistics: TermStatistics | undefined): string =>
  JSON.stringify([space, question, statistics?.passages, [...(statistics?.holding ?? [])]])

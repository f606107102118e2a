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
  const embed = async (): Promise<Float32Array> => {
    const [vector, ...rest] = await models.embed('embed', [question], 'query', signal, statistics)
    if (vector === undefined || rest.length > 0)
      throw new RagError('model_answer_invalid', 'the embedding model did not return one vector for one text')
    return vector
  }
  const vector = await (services.trial === undefined
    ? embed()
    : services.trial.vectorOf(vectorKey(models.embeddingSpace(), question, statistics), embed))
  const { name, dimensions } = collection
  if (vector.length !== dimensions) {
    const problem = `collection ${name} holds vectors of ${dimensions} dimensions, the embedding model now makes ${vector.length}`
    throw new RagError('collection_outdated', `${problem}: ingest its profile again, or choose the model that made it`)
  }
  return vector
}

/** All that a question's vector depends on: built-in models weigh its words by the statistics of the collection. */
const vectorKey = (space: string, question: string, statistics: TermStatistics | undefined): string =>
  JSON.stringify([space, question, statistics?.passages, [...(statistics?.holding ?? [])]])

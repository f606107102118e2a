import { useQuery } from '@tanstack/react-query'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import type { LayoutInput } from './graph-layout.ts'

function inputOf({ nodes, edges }: GraphPicture): LayoutInput {
  const placeOf = new Map(nodes.map(({ id }, place) => [id, place]))
  return {
    communities: nodes.map(({ community }) => community),
    edges: edges.flatMap(({ source, target, weight }) => {
      const [a, b] = [placeOf.get(source), placeOf.get(target)]
      return a === undefined || b === undefined || a === b ? [] : [[a, b, weight] as const]
    }),
  }
}

function inWorker(input: LayoutInput, signal: AbortSignal): Promise<Float64Array> {
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Float64Array>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Float64Array>) => resolve(data)
    worker.onerror = () => reject(new Error('the layout of the graph could not be worked out'))
    signal.addEventListener('abort', () => reject(new Error('the layout is no longer wanted')), { once: true })
    worker.postMessage(input)
  }).finally(() => worker.terminate())
}

/** Places of a picture's nodes, worked out beside the page's own thread. `key` names the picture. */
export const useLayout = (key: readonly unknown[], picture: GraphPicture) =>
  useQuery({
    queryKey: ['live', 'layout', ...key, picture.nodes.length, picture.edges.length],
    queryFn: ({ signal }) => inWorker(inputOf(picture), signal),
    retry: false,
  })

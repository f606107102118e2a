import type { GraphPicture } from '../../../contract/http/graph-picture.ts'
import type { FakeDataset } from './world.ts'

const NAME = /\b[A-Z][\p{L}-]+(?: (?:(?:of|the|and) )?[A-Z][\p{L}-]+)+/gu
const MOST = 12

/** Names that stand in the same paragraph, as a graph; a document is a community. For pages only: no claim to be an extraction. */
export function graphPicture({ documents }: FakeDataset, limit: number): GraphPicture {
  const home = new Map<string, number>()
  const weights = new Map<string, number>()
  const degrees = new Map<string, number>()
  for (const [community, text] of [...documents.values()].entries())
    for (const paragraph of text.split(/\n\s*\n/)) {
      const names = [...new Set(paragraph.match(NAME) ?? [])].slice(0, MOST)
      for (const [place, name] of names.entries()) {
        if (!home.has(name)) home.set(name, community)
        for (const other of names.slice(place + 1)) {
          const key = [name, other].sort().join('\n')
          if (!weights.has(key)) for (const end of [name, other]) degrees.set(end, (degrees.get(end) ?? 0) + 1)
          weights.set(key, (weights.get(key) ?? 0) + 1)
        }
      }
    }
  const all = [...home].toSorted(([a], [b]) => (degrees.get(b) ?? 0) - (degrees.get(a) ?? 0))
  const kept = new Set(all.slice(0, limit).map(([name]) => name))
  const edges = [...weights].map(([key, weight]) => {
    const [source, target] = key.split('\n') as [string, string]
    return { source, target, weight, keywords: ['named together'] }
  })
  const shown = edges.filter(({ source, target }) => kept.has(source) && kept.has(target))
  return {
    nodes: all.slice(0, limit).map(([name, community]) => ({
      ...{ id: name, label: name, type: name.includes(' of ') ? 'organization' : 'person', community },
      ...{ degree: degrees.get(name) ?? 0, description: `${name} stands in the corpus.` },
    })),
    edges: shown,
    ...{ communities: documents.size, components: 1, total_nodes: home.size, total_edges: edges.length },
    truncated: home.size > limit,
  }
}

import { Autocomplete, Button, SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import { count } from '../../../components/format.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { EmptyPanel, ErrorPanel, Loaded } from '../../../components/states.tsx'
import { api } from '../../../data/client.ts'
import styles from '../datasets.module.css'
import { COLOURED, communityColour } from './community-colours.ts'
import { EntityTable } from './entity-table.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import type { LayoutInput } from './graph-layout.ts'
import { DATASETS_WORDS } from '../datasets-words.ts'

const WORDS = DATASETS_WORDS.graphView

const TITLES = {
  not_ingested: WORDS.noGraphYet,
  busy: WORDS.otherDataset,
  unavailable: WORDS.unavailable,
}

function Drawing(props: {
  dataset: string
  picture: GraphPicture
  selected: string | null
  onSelect: (id: string | null) => void
}) {
  const { dataset, picture, selected, onSelect } = props
  const layout = useLayout([dataset], picture)
  if (layout.isError) return <ErrorPanel error={layout.error} what={WORDS.theLayout} />
  if (layout.data === undefined)
    return (
      <div className={styles.canvas} role="status" aria-label={WORDS.loading}>
        <p className={`dim ${styles.canvasNote ?? ''}`}>{WORDS.placingEntities(count(picture.nodes.length))}</p>
      </div>
    )
  return <GraphCanvas picture={picture} places={layout.data} selected={selected} onSelect={onSelect} />
}

/** A dataset's knowledge graph, drawn or as a table, with one entity beside it. */
export function GraphView({ dataset }: { dataset: string }) {
  const search = useSearch({ from: '/datasets' })
  const navigate = useNavigate({ from: '/datasets' })
  const [words, setWords] = useState('')
  const limit = search.limit ?? 300
  const query = useQuery(api.datasets.graph.queryOptions({ input: { dataset_id: dataset, limit } }))
  if (query.data === undefined) return <Loaded query={query} what={WORDS.theGraph} rows={14} height={40} />
  if (!query.data.ok)
    return (
      <EmptyPanel title={TITLES[query.data.reason]}>
        <p>{query.data.message}</p>
        {query.data.reason === 'not_ingested' && (
          <Button
            variant="filled"
            renderRoot={(props) => <Link to="/launch" search={{ datasets: [dataset] }} {...props} />}
          >
            {WORDS.launchDataset}
          </Button>
        )}
      </EmptyPanel>
    )
  const { picture } = query.data
  const selected = search.entity ?? null
  const select = (entity: string | null): void =>
    void navigate({ search: (before) => ({ ...before, entity: entity ?? undefined }), replace: true })
  const asTable = search.as === 'table'
  const needle = words.trim().toLowerCase()
  const nodes = picture.nodes.toSorted((a, b) => b.degree - a.degree || (a.label < b.label ? -1 : 1))
  const found = needle === '' ? nodes : nodes.filter(({ label }) => label.toLowerCase().includes(needle))
  const take = (label: string): void => {
    setWords(label)
    const node = nodes.find((each) => each.label === label)
    if (node !== undefined) select(node.id)
  }
  return (
    <>
      <div className="row">
        <Autocomplete
          size="xs"
          aria-label={WORDS.findAnEntity}
          placeholder={WORDS.findAnEntity}
          value={words}
          onChange={take}
          limit={12}
          data={[...new Set(nodes.map(({ label }) => label))]}
        />
        <Select
          size="xs"
          w={150}
          aria-label={WORDS.entitiesShown}
          data={[100, 300, 700, 1500].map((each) => ({ value: String(each), label: WORDS.best(each) }))}
          value={String(limit)}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, limit: Number(value) }) })}
        />
        <SegmentedControl
          size="xs"
          aria-label={WORDS.form}
          data={[
            { value: 'drawing', label: WORDS.drawing },
            { value: 'table', label: WORDS.table },
          ]}
          value={asTable ? 'table' : 'drawing'}
          onChange={(as) =>
            void navigate({ search: (before) => ({ ...before, as: as === 'table' ? 'table' : undefined }) })
          }
        />
        <span className="dim">
          {WORDS.shownOf(
            count(picture.nodes.length),
            count(picture.total_nodes),
            count(picture.edges.length),
            count(picture.total_edges),
            count(picture.communities),
            count(picture.components),
            picture.components === 1 ? WORDS.onePart : WORDS.separateParts,
          )}
        </span>
      </div>
      <div className={styles.graph}>
        {asTable ? (
          <EntityTable nodes={found} selected={selected} onSelect={select} />
        ) : (
          <Drawing dataset={dataset} picture={picture} selected={selected} onSelect={select} />
        )}
        <aside className={styles.graphSide}>
          {selected === null ? (
            <GraphLegend nodes={picture.nodes} />
          ) : (
            <EntityPanel picture={picture} id={selected} onSelect={select} />
          )}
        </aside>
      </div>
    </>
  )
}

interface EntityPanelProps {
  picture: GraphPicture
  id: string
  onSelect: (id: string | null) => void
}

/** One entity: what it is, and what it is related to. */
function EntityPanel({ picture, id, onSelect }: EntityPanelProps) {
  const node = picture.nodes.find((each) => each.id === id)
  if (node === undefined) return <p className="dim">{WORDS.notInPicture}</p>
  const labels = new Map(picture.nodes.map((each) => [each.id, each.label]))
  const relations = picture.edges
    .filter(({ source, target }) => source === id || target === id)
    .map(({ source, target, weight, keywords }) => ({ other: source === id ? target : source, weight, keywords }))
    .toSorted((a, b) => b.weight - a.weight)
  return (
    <section aria-label={WORDS.entity} className={styles.entity}>
      <header>
        <h2>
          <MarkedText text={node.label} />
        </h2>
        <Button size="compact-xs" onClick={() => onSelect(null)}>
          {WORDS.close}
        </Button>
      </header>
      <p className="dim">
        {WORDS.community(node.type, node.community + 1, node.degree)}
        {relations.length < node.degree && WORDS.inThePicture(count(relations.length))}
      </p>
      {node.description !== '' && <MarkedText text={node.description} />}
      <ul>
        {relations.map(({ other, weight, keywords }) => (
          <li key={other}>
            <button type="button" className={styles.entityName} onClick={() => onSelect(other)}>
              {labels.get(other) ?? other}
            </button>
            <span className="dim">
              {WORDS.weight(Number(weight.toFixed(2)))}
              {keywords.length > 0 && ` · ${keywords.join(', ')}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Shows what colours and sizes mean; each community is named by its best connected entity. */
function GraphLegend({ nodes }: { nodes: GraphPicture['nodes'] }) {
  const communities = new Map<number, GraphPicture['nodes']>()
  for (const node of nodes) communities.set(node.community, [...(communities.get(node.community) ?? []), node])
  const known = [...communities].toSorted(([a], [b]) => a - b)
  const others = known.filter(([number]) => number >= COLOURED).reduce((sum, [, members]) => sum + members.length, 0)
  return (
    <ul className={styles.legend} aria-label={WORDS.legend}>
      {known
        .filter(([number]) => number < COLOURED)
        .map(([number, members]) => (
          <li key={number}>
            <svg width="12" height="12" aria-hidden="true">
              <circle cx="6" cy="6" r="6" fill={communityColour(number)} />
            </svg>
            <span className={styles.legendName} title={members[0]!.label}>
              {number + 1} · {members[0]!.label}
            </span>
            <span className="dim">{count(members.length)}</span>
          </li>
        ))}
      {others > 0 && (
        <li>
          <svg width="12" height="12" aria-hidden="true">
            <circle cx="6" cy="6" r="6" fill={communityColour(COLOURED)} />
          </svg>
          {WORDS.smallerCommunities}
          <span className="dim">{count(others)}</span>
        </li>
      )}
      <li className="dim">{WORDS.signs}</li>
    </ul>
  )
}

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
    worker.onerror = () => reject(new Error(WORDS.layoutFailed))
    signal.addEventListener('abort', () => reject(new Error(WORDS.layoutCancelled)), { once: true })
    worker.postMessage(input)
  }).finally(() => worker.terminate())
}

/** Places of a picture's nodes, worked out beside the page's own thread. `key` names the picture. */
const useLayout = (key: readonly unknown[], picture: GraphPicture) =>
  useQuery({
    queryKey: ['live', 'layout', ...key, picture.nodes.length, picture.edges.length],
    queryFn: ({ signal }) => inWorker(inputOf(picture), signal),
    retry: false,
  })

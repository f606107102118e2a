import { Autocomplete, SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { count } from '../../../components/format.ts'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../../components/states.tsx'
import { api } from '../../../data/client.ts'
import styles from '../datasets.module.css'
import { EntityPanel } from './entity-panel.tsx'
import { EntityTable } from './entity-table.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import { GraphLegend } from './graph-legend.tsx'
import { useLayout } from './use-layout.ts'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'

const TITLES = {
  not_ingested: 'No graph yet',
  busy: 'The platform serves another dataset',
  unavailable: 'The graph cannot be had now',
}

function Drawing(props: {
  dataset: string
  picture: GraphPicture
  selected: string | null
  onSelect: (id: string | null) => void
}) {
  const { dataset, picture, selected, onSelect } = props
  const layout = useLayout([dataset], picture)
  if (layout.isError) return <ErrorPanel error={layout.error} what="The layout" />
  if (layout.data === undefined)
    return (
      <div className={styles.canvas} role="status" aria-label="Loading">
        <p className={`dim ${styles.canvasNote ?? ''}`}>Placing {count(picture.nodes.length)} entities…</p>
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
  if (query.isError) return <ErrorPanel error={query.error} what="The graph" retry={() => void query.refetch()} />
  if (query.data === undefined) return <LoadingRows rows={14} height={40} />
  if (!query.data.ok)
    return (
      <EmptyPanel title={TITLES[query.data.reason]}>
        <p>{query.data.message}</p>
        {query.data.reason === 'not_ingested' && (
          <p>
            <Link to="/launch" search={{ datasets: [dataset] }}>
              Launch a run on this dataset
            </Link>
            ; its graph can then be drawn here.
          </p>
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
      <div className={styles.graphBar}>
        <Autocomplete
          size="xs"
          aria-label="Find an entity"
          placeholder="Find an entity"
          value={words}
          onChange={take}
          limit={12}
          data={[...new Set(nodes.map(({ label }) => label))]}
        />
        <Select
          size="xs"
          w={150}
          aria-label="Entities shown"
          allowDeselect={false}
          data={[100, 300, 700, 1500].map((each) => ({ value: String(each), label: `best ${each}` }))}
          value={String(limit)}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, limit: Number(value) }) })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Form"
          data={[
            { value: 'drawing', label: 'Drawing' },
            { value: 'table', label: 'Table' },
          ]}
          value={asTable ? 'table' : 'drawing'}
          onChange={(as) =>
            void navigate({ search: (before) => ({ ...before, as: as === 'table' ? 'table' : undefined }) })
          }
        />
        <span className="dim">
          {count(picture.nodes.length)} of {count(picture.total_nodes)} entities, {count(picture.edges.length)} of{' '}
          {count(picture.total_edges)} relations, {count(picture.communities)} communities, {count(picture.components)}{' '}
          {picture.components === 1 ? 'part' : 'separate parts'}
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

import Graph from 'graphology'
import { useEffect, useRef, useState } from 'react'
import Sigma from 'sigma'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import styles from '../datasets.module.css'
import { communityColour } from './community-colours.ts'
import { DATASETS_WORDS } from '../datasets-words.ts'

const WORDS = DATASETS_WORDS.graphCanvas

interface GraphCanvasProps {
  picture: GraphPicture
  places: Float64Array
  selected: string | null
  onSelect: (id: string | null) => void
}

interface Look {
  x: number
  y: number
  size: number
  label: string
  color: string
}

function graphOf({ nodes, edges }: GraphPicture, places: Float64Array): Graph<Look> {
  const graph = new Graph<Look>({ type: 'undirected', multi: false })
  for (const [place, { id, label, degree, community }] of nodes.entries())
    graph.addNode(id, {
      x: places[2 * place]!,
      y: -places[2 * place + 1]!,
      label: label.slice(0, 60),
      size: 3 + 2.2 * Math.sqrt(degree),
      color: communityColour(community),
    })
  for (const { source, target, weight } of edges)
    if (source !== target && graph.hasNode(source) && graph.hasNode(target) && !graph.hasEdge(source, target))
      graph.addEdge(source, target, { size: Math.min(4, 0.6 + Math.log1p(weight) / 2) })
  return graph
}

const cssColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The graph as sigma draws it; the neighbours of what is pointed at or chosen stay in colour. */
export function GraphCanvas({ picture, places, selected, onSelect }: GraphCanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<Sigma<Look> | null>(null)
  const focus = useRef<string | null>(selected)
  const select = useRef(onSelect)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    select.current = onSelect
  }, [onSelect])
  useEffect(() => {
    if (box.current === null) return undefined
    const graph = graphOf(picture, places)
    const [line, faint, ink] = [cssColour('--line-strong'), cssColour('--line'), cssColour('--text')]
    const isNear = (id: string): boolean =>
      focus.current === null || focus.current === id || graph.areNeighbors(focus.current, id)
    let sigma: Sigma<Look>
    try {
      sigma = new Sigma(graph, box.current, {
        labelColor: { color: ink },
        labelSize: 12,
        labelFont: 'system-ui, sans-serif',
        labelRenderedSizeThreshold: 7,
        defaultEdgeColor: line,
        zIndex: true,
        allowInvalidContainer: true,
        minCameraRatio: 0.05,
        maxCameraRatio: 4,
        nodeReducer: (id, look) =>
          isNear(id)
            ? { ...look, forceLabel: focus.current !== null, highlighted: false, zIndex: 1 }
            : { ...look, color: faint, label: '', zIndex: 0 },
        edgeReducer: (edge, look) =>
          focus.current === null || graph.hasExtremity(edge, focus.current)
            ? { ...look, color: line }
            : { ...look, color: faint, hidden: true },
      })
    } catch (error) {
      setFailure(error instanceof Error ? error.message : WORDS.cannotDraw)
      return undefined
    }
    drawn.current = sigma
    const point = (id: string | null): void => {
      focus.current = id
      sigma.refresh({ skipIndexation: true })
    }
    sigma.on('enterNode', ({ node }) => point(node))
    sigma.on('leaveNode', () => point(null))
    sigma.on('clickNode', ({ node }) => select.current(node))
    sigma.on('clickStage', () => select.current(null))
    return () => {
      drawn.current = null
      sigma.kill()
    }
  }, [picture, places])
  useEffect(() => {
    const sigma = drawn.current
    focus.current = selected
    if (sigma === null) return
    sigma.refresh({ skipIndexation: true })
    const place = selected === null ? undefined : sigma.getNodeDisplayData(selected)
    const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    if (place !== undefined)
      void sigma.getCamera().animate({ x: place.x, y: place.y, ratio: 0.45 }, { duration: isCalm ? 0 : 140 })
  }, [selected, picture, places])
  if (failure !== null)
    return (
      <p role="alert" className={styles.canvasNote}>
        {WORDS.noWebGl(failure)}
      </p>
    )
  return <div ref={box} className={styles.canvas} role="img" aria-label={WORDS.drawing(picture.nodes.length)} />
}

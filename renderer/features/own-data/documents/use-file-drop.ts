import { useCallback, useEffect, useRef, useState } from 'react'
import { controlErrorOf } from '../../../../contract/control/control-error.ts'
import { MAX_FILE_BYTES } from '../../../../contract/control/own-datasets.ts'
import { messageOf } from '../../../../core/json.ts'
import { control } from '../../../data/client.ts'
import { convertFile } from '../../documents/convert.ts'
import { base64Of, isConverted, isHidden, isReadable, storedName } from './dropped-files.ts'
import { OWN_WORDS } from '../own-words.ts'

/** A dropped file on its way into a dataset. */
export interface DroppedFile {
  id: number
  name: string
  state: 'waiting' | 'storing' | 'stored' | 'refused'
  problem: string | null
  /** Holds what the converter reads of it; null while that is not known, and for files that it does not read. */
  report: { characters: number; pages: number | null; warnings: string[] } | null
  preview: 'none' | 'waiting' | 'converting' | 'done' | 'failed'
  previewProblem: string | null
}

/** As ingestion converts. */
export const PREVIEW = { format: 'markdown', useOcr: 'auto', chunkSize: 800 } as const

/**
 * Stores files one after another, then converts each for a preview. Storing goes on when the page is left, because half a drop is worse than a
 * whole one; previews end.
 */
export function useFileDrop(dataset: string, onStored: () => Promise<void>) {
  const [files, setFiles] = useState<readonly DroppedFile[]>([])
  const [hidden, setHidden] = useState(0)
  const storing = useRef<Promise<void>>(Promise.resolve())
  const previews = useRef<Promise<void>>(Promise.resolve())
  const leave = useRef(new AbortController())
  const nextId = useRef(1)
  useEffect(() => {
    const stop = new AbortController()
    leave.current = stop
    return () => stop.abort()
  }, [])

  const add = useCallback(
    (dropped: readonly File[]) => {
      const { signal } = leave.current
      const hasLeft = (): boolean => signal.aborted
      const change = (id: number, part: Partial<DroppedFile>): void =>
        setFiles((all) => all.map((each) => (each.id === id ? { ...each, ...part } : each)))
      const preview = async (id: number, file: File): Promise<void> => {
        if (hasLeft()) return
        change(id, { preview: 'converting' })
        try {
          const { content, metadata } = await convertFile(file, PREVIEW, signal)
          const { pages, warnings } = metadata
          change(id, { preview: 'done', report: { characters: content.length, pages, warnings } })
        } catch (error) {
          if (hasLeft()) return
          change(id, { preview: 'failed', previewProblem: messageOf(error) })
        }
      }
      const store = async (id: number, name: string, file: File): Promise<void> => {
        const problem = !isReadable(name)
          ? OWN_WORDS.documents.unreadable
          : file.size > MAX_FILE_BYTES
            ? OWN_WORDS.documents.tooLarge
            : null
        if (problem !== null) {
          change(id, { state: 'refused', problem, preview: 'none' })
          return
        }
        change(id, { state: 'storing' })
        try {
          await control.datasets.addFile({ dataset_id: dataset, name, base64: await base64Of(file) })
        } catch (error) {
          change(id, { state: 'refused', problem: controlErrorOf(error).message, preview: 'none' })
          return
        }
        change(id, { state: 'stored' })
        if (isConverted(name)) previews.current = previews.current.then(() => preview(id, file))
      }
      const kept = dropped.filter((file) => !isHidden(file))
      setHidden((before) => before + dropped.length - kept.length)
      const rows = kept.map((file) => ({ id: nextId.current++, name: storedName(file), file }))
      setFiles((all) => [
        ...all,
        ...rows.map(({ id, name }): DroppedFile => ({
          id,
          name,
          state: 'waiting',
          problem: null,
          report: null,
          preview: isConverted(name) ? 'waiting' : 'none',
          previewProblem: null,
        })),
      ])
      storing.current = storing.current.then(async () => {
        for (const { id, name, file } of rows) await store(id, name, file)
        await onStored()
      })
    },
    [dataset, onStored],
  )
  const clear = useCallback(() => {
    setFiles((all) => all.filter(({ state }) => state === 'waiting' || state === 'storing'))
    setHidden(0)
  }, [])
  return { files, hidden, add, clear }
}

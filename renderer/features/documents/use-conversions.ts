import { useCallback, useEffect, useRef, useState } from 'react'
import type { ConversionResult } from '../../../contract/http/conversion.ts'
import { messageOf } from '../../../core/json.ts'
import { convertFile, type ConversionChoices } from './convert.ts'

/** A dropped file on its way. */
export interface Conversion {
  id: number
  file: File
  choices: ConversionChoices
  state: 'waiting' | 'converting' | 'done' | 'failed'
  startedAt: number | null
  seconds: number | null
  result: ConversionResult | null
  problem: string | null
}

/** Converts files one after another, as the converter does; leaving the page ends what is under way. */
export function useConversions() {
  const [conversions, setConversions] = useState<readonly Conversion[]>([])
  const queue = useRef<Promise<void>>(Promise.resolve())
  const leave = useRef(new AbortController())
  const nextId = useRef(1)
  useEffect(() => {
    const stop = new AbortController()
    leave.current = stop
    return () => stop.abort()
  }, [])

  const add = useCallback((files: readonly File[], choices: ConversionChoices) => {
    const { signal } = leave.current
    const hasLeft = (): boolean => signal.aborted
    const change = (id: number, what: Partial<Conversion>): void =>
      setConversions((all) => all.map((each) => (each.id === id ? { ...each, ...what } : each)))
    for (const file of files) {
      const id = nextId.current++
      setConversions((all) => [
        ...all,
        { id, file, choices, state: 'waiting', startedAt: null, seconds: null, result: null, problem: null },
      ])
      queue.current = queue.current.then(async () => {
        if (hasLeft()) return
        const started = performance.now()
        const seconds = (): number => (performance.now() - started) / 1000
        change(id, { state: 'converting', startedAt: Date.now() })
        try {
          const result = await convertFile(file, choices, signal)
          change(id, { state: 'done', result, seconds: seconds() })
        } catch (error) {
          if (hasLeft()) return
          change(id, { state: 'failed', problem: messageOf(error), seconds: seconds() })
        }
      })
    }
  }, [])
  return { conversions, add }
}

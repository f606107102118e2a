import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useRef } from 'react'
import { PLACES } from '../../core/pages.ts'
import { isTextField, isUnderDialog } from '../components/key-target.ts'

/** Longest pause between `g` and the key of a place. */
const PAUSE_MS = 1500

/** `g` and then the key of a place opens that place; where text is typed and below a dialog, keys do what they do there. */
export function usePlaceKeys(): void {
  const navigate = useNavigate()
  const pressedAt = useRef(Number.NEGATIVE_INFINITY)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target) || isUnderDialog()) return
    const isSecond = event.timeStamp - pressedAt.current < PAUSE_MS
    pressedAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const place = isSecond ? PLACES.find(({ key }) => key === event.key) : undefined
    if (place === undefined) return
    event.preventDefault()
    // The matrix has an `h` of its own.
    event.stopPropagation()
    void navigate({ to: place.path })
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => onKey(event)
    window.addEventListener('keydown', listener, { capture: true })
    return () => window.removeEventListener('keydown', listener, { capture: true })
  }, [])
}

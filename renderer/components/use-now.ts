import { useEffect, useState } from 'react'

/** The time of day in milliseconds, read again each second while `moving`. */
export function useNow(moving: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!moving) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [moving])
  return now
}

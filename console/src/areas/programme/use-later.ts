import { useEffect, useState } from 'react'

/** What is typed counts so long after the last key, in milliseconds. */
const pauseMs = 400

/** A value as it was when nothing had been typed for a moment. */
export function useLater<Value>(value: Value): Value {
  const [later, setLater] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return later
}

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { basketOf, emptyBasket, searchOf, type TriedBasket } from './basket.js'

/** The basket that is tried: of the address where it has one, else as it was left in this tab. */
export function useBasket(key: string) {
  const item = `draft/${key}/basket`
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>
  const navigate = useNavigate()
  const [basket, setBasket] = useState(() => basketOf(search) ?? stored(item) ?? emptyBasket)
  const text = JSON.stringify(basket)
  useEffect(() => {
    sessionStorage.setItem(item, text)
    void navigate({ to: '.', search: searchOf(JSON.parse(text) as TriedBasket) as never, replace: true })
  }, [item, text, navigate])
  return [basket, setBasket] as const
}

function stored(item: string): TriedBasket | null {
  const text = sessionStorage.getItem(item)
  return text === null ? null : (JSON.parse(text) as TriedBasket)
}

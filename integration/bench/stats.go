package main

import "slices"

// quantile returns the value below which the share q of the sample lies: the
// nearest one that was measured, never one in between. It is 0 for no sample.
func quantile(sample []float64, q float64) float64 {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}

func median(sample []float64) float64 { return quantile(sample, 0.5) }

// pairedRatio returns the median of the ratios round by round. What slows one
// round down (a neighbour, the kernel's deferred work) slows both of its
// launches down, so it holds still where a ratio of two medians wanders.
func pairedRatio(sample, base []float64) float64 {
	ratios := make([]float64, min(len(sample), len(base)))
	for i := range ratios {
		ratios[i] = sample[i] / base[i]
	}
	return median(ratios)
}

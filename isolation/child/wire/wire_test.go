package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"unsafe"
)

// TestSizes: processes write structs, the launcher reads bytes.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(Header{}) != HeaderSize || unsafe.Sizeof(Observation{}) != ObservationSize {
		t.Errorf("%d and %d bytes", unsafe.Sizeof(Header{}), unsafe.Sizeof(Observation{}))
	}
}

// FuzzReport: whatever is on the pipe, whole messages come out as they went in, and the
// rest is an error.
func FuzzReport(f *testing.F) {
	whole := func(h Header) []byte { return bytes.Clone((*[HeaderSize]byte)(unsafe.Pointer(&h))[:]) }
	f.Add([]byte{})
	f.Add(whole(Header{Kind: Exit, A: 3 << 8}))
	f.Add(append(whole(Header{Kind: Verdict, A: 0x3ff, B: 170}), whole(Header{Kind: Failure, A: 1 << 31, B: 1, Value: -1})[:23]...))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, n := bytes.NewReader(text), 0
		for {
			h, err := ReadHeader(r)
			if errors.Is(err, io.EOF) && n*HeaderSize == len(text) || errors.Is(err, ErrShort) && len(text)%HeaderSize != 0 {
				return
			}
			if err != nil {
				t.Fatalf("message %d of %d bytes: %v", n, len(text), err)
			}
			again := whole(h)
			in := text[n*HeaderSize:][:HeaderSize]
			if !bytes.Equal(again[:12], in[:12]) || !bytes.Equal(again[16:], in[16:]) {
				t.Fatalf("%x became %x", in, again)
			}
			n++
		}
	})
}

// FuzzObservations: as many as asked for, none of a state that is none, and those that
// are there as they were written.
func FuzzObservations(f *testing.F) {
	f.Add([]byte{}, 3)
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 2, 0, 13, 14, 15, 16}, 3), 2)
	f.Add(bytes.Repeat([]byte{0xff}, 40), 4)
	f.Fuzz(func(t *testing.T, memory []byte, n int) {
		n = int(uint(n) % 600)
		out := Observations(memory, n)
		if len(out) != n {
			t.Fatalf("%d observations, wanted %d", len(out), n)
		}
		for i, o := range out {
			if o.State > Done {
				t.Fatalf("observation %d has state %d", i, o.State)
			}
			there := len(memory) >= (i+1)*ObservationSize && State(memory[i*ObservationSize+10]) <= Done
			if !there && o != (Observation{}) {
				t.Fatalf("observation %d is %+v", i, o)
			}
			if again := (*[ObservationSize]byte)(unsafe.Pointer(&o)); there && (!bytes.Equal(again[:11], memory[i*ObservationSize:][:11]) || !bytes.Equal(again[12:], memory[i*ObservationSize:][12:16])) {
				t.Fatalf("%x became %x", memory[i*ObservationSize:][:16], again)
			}
		}
	})
}
